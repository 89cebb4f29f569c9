import { useEffect, useState } from 'preact/hooks';
import type { Service } from '../api';
import { axis, ChartBox, tooltip } from '../components/chart';
import { PageHead } from '../components/layout';
import { Failed, Loading } from '../components/states';
import { Tiles } from '../components/tiles';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import * as format from '../lib/format';

const everySeconds = 5;
const bucketSeconds = 5;

export function ServicePage() {
  const { api } = useApp();
  const [running, setRunning] = useState(true);
  const { answer: now, error, again } = useAsked((signal) => api.service(signal), []);
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) again();
    }, everySeconds * 1000);
    return () => clearInterval(timer);
  }, [running]);
  if (error) return <Failed error={error} again={again} />;
  if (!now) return <Loading what="the service" />;
  return (
    <>
      <PageHead
        title="Service"
        tools={
          <button
            class="button"
            type="button"
            aria-pressed={!running}
            onClick={() => setRunning(!running)}
          >
            {running ? 'Pause' : 'Go on'}
          </button>
        }
      >
        {running ? `Refreshed every ${everySeconds} seconds.` : 'Paused.'} Figures of the last
        minute unless said otherwise.
      </PageHead>
      <div class="stack">
        <Tiles tiles={tiles(now)} />
        <div class="grid-2">
          <Throughput now={now} />
          <Latency now={now} />
        </div>
        <Routes now={now} />
      </div>
    </>
  );
}

function tiles({
  requests,
  memory,
  graph,
  cache,
  store,
  uptime_seconds,
  version,
  connections,
}: Service) {
  const asked = cache.hits + cache.misses;
  return [
    {
      name: 'Requests a second',
      value: format.rating(requests.per_second),
      note: `${format.short(requests.total)} since the start`,
    },
    {
      name: 'Errors',
      value: format.count(requests.errors),
      note: 'since the start, by the server',
    },
    {
      name: 'Memory',
      value: format.bytes(memory.resident_bytes),
      note: `${format.bytes(memory.model_bytes)} of it the model`,
    },
    {
      name: 'Graph age',
      value: graph.state === 'ready' ? format.seconds(graph.age_seconds) : graph.state,
      note:
        `${format.plural(graph.changes, 'change')} since` +
        (graph.behind > 0
          ? `, ${format.short(graph.behind)} of them in nobody else's lists yet, for ${format.seconds(graph.behind_seconds)}`
          : ''),
    },
    {
      name: 'Lists from memory',
      value: asked ? format.percent(cache.hits / asked) : '–',
      note: `${format.short(cache.entries)} kept`,
    },
    {
      name: 'Store',
      value: store.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL',
      note: `${format.short(store.ratings)} ratings, change ${format.count(store.sequence)}`,
    },
    { name: 'Up', value: format.seconds(uptime_seconds), note: `Palate ${version}` },
    { name: 'Connections', value: format.count(connections), note: 'open now' },
  ];
}

const ago = (s: number) => (s < 60 ? `${Math.round(s)} s ago` : `${Math.round(s / 60)} min ago`);

function Throughput({ now: { history } }: { now: Service }) {
  const rate = history.map((h) => h.requests / bucketSeconds);
  return (
    <OverTime
      id="throughput"
      title="Throughput"
      note={`Requests a second, in steps of ${bucketSeconds} seconds.`}
      history={history}
      label={`Requests a second over time; last ${format.rating(rate.at(-1) ?? 0)}`}
      lines={[{ name: 'Requests a second', values: rate }]}
      tip={(_, value) => `${value} a second`}
    />
  );
}

function Latency({ now: { history } }: { now: Service }) {
  const last = history.at(-1);
  return (
    <OverTime
      id="latency"
      title="Latency"
      note="Milliseconds: half of all answers were faster (full line), 99 % were (dashed)."
      history={history}
      label={`Latency over time; last median ${format.rating(last?.p50_ms)} ms, 99th percentile ${format.rating(last?.p99_ms)} ms`}
      lines={[
        { name: 'p50 (ms)', values: history.map((h) => h.p50_ms) },
        {
          name: 'p99 (ms)',
          values: history.map((h) => h.p99_ms),
          look: { borderWidth: 1.5, borderDash: [5, 4] },
        },
      ]}
      tip={(line, value) => `${line === 0 ? 'p50' : 'p99'} ${value} ms`}
    />
  );
}

interface Line {
  name: string;
  values: Service['history'][number]['p50_ms'][];
  look?: { borderWidth: number; borderDash: number[] };
}

interface OverTimeProps {
  id: string;
  title: string;
  note: string;
  history: Service['history'];
  label: string;
  lines: Line[];
  /** What is said of a point: the number of its line, and its value as text. */
  tip(line: number, value: string): string;
}

function OverTime({ id, title, note, history, label, lines, tip }: OverTimeProps) {
  const times = history.map((h) => ago(h.seconds_ago));
  const shown = (line: number, at: number) => format.rating(lines[line]?.values[at]);
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="small muted">{note}</p>
      <ChartBox
        label={label}
        height={200}
        inputs={[history]}
        table={{
          head: ['When', ...lines.map(({ name }) => name)],
          rows: times.map((time, at) => [time, ...lines.map((_, line) => shown(line, at))]),
        }}
        make={(colours) => ({
          type: 'line',
          data: {
            labels: times,
            datasets: lines.map(({ values, look }) => ({
              data: values,
              borderColor: colours.accent,
              borderWidth: 2,
              pointRadius: 0,
              pointHitRadius: 8,
              ...look,
            })),
          },
          options: {
            animation: false,
            scales: {
              x: {
                ...axis(colours, undefined, false),
                ticks: { ...axis(colours).ticks, maxTicksLimit: 5, maxRotation: 0 },
              },
              y: { ...axis(colours), beginAtZero: true },
            },
            plugins: {
              tooltip: {
                ...tooltip(colours, ({ dataIndex, datasetIndex }) =>
                  tip(datasetIndex, shown(datasetIndex, dataIndex)),
                ),
                displayColors: false,
              },
            },
          },
        })}
      />
    </section>
  );
}

function Routes({ now: { latency } }: { now: Service }) {
  return (
    <section class="card" aria-labelledby="routes">
      <h2 id="routes">By route</h2>
      <p class="small muted">
        From the whole request being read to the answer being handed to the system, in milliseconds.
      </p>
      {latency.length === 0 ? (
        <p class="muted">Nothing was asked in the last minute.</p>
      ) : (
        <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="routes">
          <table>
            <thead>
              <tr>
                <th scope="col">Route</th>
                {['Requests', 'p50', 'p90', 'p99', 'Longest'].map((name) => (
                  <th key={name} scope="col" class="num">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {latency.map((row) => (
                <tr key={row.route}>
                  <td class="formula">{row.route}</td>
                  <td class="num">{format.count(row.count)}</td>
                  {[row.p50_ms, row.p90_ms, row.p99_ms, row.max_ms].map((ms, i) => (
                    <td key={i} class="num">
                      {ms.toFixed(2)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
