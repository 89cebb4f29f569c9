// A chart by Chart.js with a text alternative: a label, and the same numbers as a table.
import type { ChartConfiguration, Chart as ChartType } from 'chart.js';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { resolved, resolvedColour } from '../lib/colours';
import { useDark } from '../lib/theme';
import { Table } from './table';

export interface Colours {
  text: string;
  muted: string;
  line: string;
  accent: string;
  surface: string;
  criterion(index: number): string;
}

interface Props {
  /** Read to those who do not see the chart: what it shows and what is to be seen in it. */
  label: string;
  make(colours: Colours): ChartConfiguration;
  /** The chart is drawn anew when one of these changes. */
  inputs: readonly unknown[];
  height: number;
  table?: { head: string[]; rows: (string | number)[][] };
}

export function ChartBox({ label, make, inputs, height, table }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<ChartType>();
  const [library, setLibrary] = useState<typeof ChartType>();
  const dark = useDark();

  useEffect(() => {
    let gone = false;
    void import('../lib/charts').then(({ Chart }) => {
      if (!gone) setLibrary(() => Chart);
    });
    return () => {
      gone = true;
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, []);

  useEffect(() => {
    if (!library || !canvas.current) return;
    library.defaults.font.family = getComputedStyle(document.body).fontFamily;
    const config = withDefaults(make(currentColours()));
    if (chart.current) {
      chart.current.data = config.data;
      if (config.options) chart.current.options = config.options;
      chart.current.update('none');
    } else {
      chart.current = new library(canvas.current, config);
    }
  }, [library, dark, ...inputs]);

  return (
    <figure>
      <div class="chart" style={{ height: `${height}px` }}>
        <canvas ref={canvas} role="img" aria-label={label} />
      </div>
      {table && <AsTable {...table} />}
    </figure>
  );
}

function currentColours(): Colours {
  return {
    text: resolved('text'),
    muted: resolved('muted'),
    line: resolved('line'),
    accent: resolved('accent'),
    surface: resolved('surface'),
    criterion: resolvedColour,
  };
}

function withDefaults(config: ChartConfiguration): ChartConfiguration {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  return {
    ...config,
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: calm ? false : { duration: 300 },
      ...config.options,
    },
  };
}

/** Options of an axis in the colours of the page. */
export function axis(colours: Colours, title?: string, grid = true) {
  return {
    grid: { color: colours.line, display: grid, drawTicks: false },
    border: { display: false },
    ticks: { color: colours.muted, padding: 6, font: { size: 12 } },
    title: {
      display: title !== undefined,
      text: title ?? '',
      color: colours.muted,
      font: { size: 12 },
    },
  };
}

/** Options of curves over a scale of numbers, with what a point says. */
export function curveOptions(
  colours: Colours,
  x: object,
  y: object,
  label: Parameters<typeof tooltip>[1],
): NonNullable<ChartConfiguration<'line'>['options']> {
  return {
    interaction: { mode: 'nearest', intersect: false },
    scales: { x: { type: 'linear', ...x }, y },
    plugins: { tooltip: { ...tooltip(colours, label), displayColors: false } },
  };
}

export function tooltip(
  colours: Colours,
  label: (context: { dataIndex: number; datasetIndex: number }) => string,
) {
  return {
    backgroundColor: colours.text,
    titleColor: colours.surface,
    bodyColor: colours.surface,
    padding: 10,
    cornerRadius: 8,
    boxPadding: 4,
    callbacks: { label },
  };
}

function AsTable({
  head,
  rows,
}: {
  head: string[];
  rows: (string | number)[][];
}): ComponentChildren {
  return (
    <details class="as-table">
      <summary>As a table</summary>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Table">
        <Table head={head} rows={rows} num={(column) => column > 0} />
      </div>
    </details>
  );
}
