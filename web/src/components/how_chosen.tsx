// How the settings were found: what they gain, by which steps, what each part gives, how sure.
import type { Choice } from '../api';
import { gainOf, reachOf, type Gain } from '../lib/gains';
import * as format from '../lib/format';
import { axis, ChartBox, tooltip } from './chart';
import { Table } from './table';

/** A bar per row from a common zero; the line on it is one standard error. */
function Gains({ title, rows }: { title: string; rows: Gain[] }) {
  if (rows.length === 0) return null;
  const { low, share } = reachOf(rows);
  return (
    <>
      <h3 class="spaced">{title}</h3>
      <div class="scroll-x" tabIndex={0} role="group" aria-label={title}>
        <table class="gains">
          <tbody>
            {rows.map(({ name, percent, error, text }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="gain-track" aria-hidden="true">
                  <span
                    class="gain-bar"
                    style={{
                      left: `${share(Math.min(0, percent) - low)}%`,
                      width: `${share(Math.abs(percent))}%`,
                    }}
                  />
                  {error > 0 && (
                    <span
                      class="gain-error"
                      style={{
                        left: `${share(percent - error - low)}%`,
                        width: `${share(2 * error)}%`,
                      }}
                    />
                  )}
                </td>
                <td class="num">{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function HowChosen({ choice }: { choice: Choice | null }) {
  if (!choice)
    return (
      <section class="card">
        <h2>Validation</h2>
        <p class="muted">The settings were given, not chosen, so nothing was measured here.</p>
      </section>
    );
  const { steps, measure, start, end } = choice;
  // What failed badly would press the rest into a line.
  const floor = Math.max(
    0,
    Math.floor(100 * (start - 2 * Math.max(end - start, 0.05 * start))) / 100,
  );
  let best = start;
  const kept = steps.map(({ value, taken }) => (best = taken ? value : best));
  return (
    <section class="card" aria-labelledby="validation">
      <h2 id="validation">How the settings were chosen</h2>
      <p class="small muted">
        {choice.validation > 0
          ? `${format.percent(choice.validation)} of everyone’s ratings were held back (seed ${choice.seed}). `
          : ''}
        What lists are worth is the {measure}, over {format.plural(choice.users, 'list')}. It rose
        from {start.toFixed(4)} with plain linear filters to {end.toFixed(4)} in{' '}
        {format.plural(steps.length, 'trial')}. ± is one standard error over the same people: two
        times in three the truth lies within it.{' '}
        {steps.some((s) => s.value < floor) &&
          'Trials that did far worse lie below the picture; the list has all of them.'}
      </p>
      <Gains
        title="What is gained over simple ways"
        rows={choice.against.map((step) => gainOf(step, step.value, 1))}
      />
      <Gains
        title="What each part gives: what is lost with one setting put back"
        rows={choice.without.map((step) => gainOf(step, step.value - step.gain, -1))}
      />
      <h3 class="spaced">Trial by trial</h3>
      <ChartBox
        label={`${measure} by trial, from ${start.toFixed(4)} to ${end.toFixed(4)}`}
        height={220}
        inputs={[choice]}
        make={(colours) => ({
          type: 'line',
          data: {
            labels: steps.map((_, i) => i + 1),
            datasets: [
              {
                data: kept,
                borderColor: colours.accent,
                borderWidth: 2.5,
                stepped: true,
                pointRadius: 0,
                pointHitRadius: 0,
              },
              {
                data: steps.map((s) => s.value),
                showLine: false,
                pointRadius: steps.map((s) => (s.taken ? 5 : 2.5)),
                pointBackgroundColor: steps.map((s) => (s.taken ? colours.accent : colours.muted)),
                pointBorderColor: colours.surface,
                pointHitRadius: 8,
              },
            ],
          },
          options: {
            scales: {
              x: {
                ...axis(colours, 'trial', false),
                ticks: { ...axis(colours).ticks, maxTicksLimit: 12, maxRotation: 0 },
              },
              y: { ...axis(colours, 'worth'), min: floor },
            },
            plugins: {
              tooltip: {
                ...tooltip(colours, ({ dataIndex }) => {
                  const step = steps[dataIndex];
                  return step
                    ? `${step.tried}: ${step.value.toFixed(4)}${step.taken ? ', kept' : ''}`
                    : '';
                }),
                displayColors: false,
              },
            },
          },
        })}
      />
      <details class="as-table">
        <summary>All trials</summary>
        <div class="steps" tabIndex={0} role="group" aria-label="All trials">
          <Table
            head={['Tried', 'Worth', 'Gain', 'Kept']}
            rows={steps.map((step) => [
              step.tried,
              step.value.toFixed(4),
              gainOf(step, step.value - step.gain, 1).text,
              <span class={step.taken ? 'taken' : undefined}>{step.taken ? 'yes' : 'no'}</span>,
            ])}
            num={(column) => column === 1 || column === 2}
          />
        </div>
      </details>
    </section>
  );
}
