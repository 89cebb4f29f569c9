import type { Choice, Model } from '../api';
import { Legend, Swatch } from '../components/attribution';
import { axis, ChartBox, tooltip } from '../components/chart';
import { PageHead } from '../components/layout';
import { Empty, Failed, Loading, NoRatings } from '../components/states';
import { Tiles } from '../components/tiles';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import { formula } from '../lib/filter';
import * as format from '../lib/format';

export function ModelPage() {
  const { api } = useApp();
  const { answer: model, error, again } = useAsked((signal) => api.model(signal), []);
  if (error) return <Failed error={error} again={again} />;
  if (!model) return <Loading what="the model" />;
  if (model.state === 'empty') return <NoRatings />;
  if (model.state === 'fitting' && model.filters.length === 0)
    return (
      <Empty title="The model is being fitted">
        <p>Look again in a moment.</p>
        <button class="button" type="button" onClick={again}>
          Look again
        </button>
      </Empty>
    );
  return (
    <>
      <PageHead title="Model">
        Items are linked by how alike they are rated. A filter per criterion passes ratings on along
        these links; there is nothing to train.
      </PageHead>
      <div class="stack">
        <Tiles
          tiles={[
            { name: 'Solver', value: model.solver || '–', note: `graph kept ${model.storage}` },
            {
              name: 'Links',
              value: format.short(model.graph_entries),
              note: `between ${format.count(model.items)} items`,
            },
            { name: 'Memory', value: format.bytes(model.memory_bytes), note: 'graph and ratings' },
            {
              name: 'Preference power',
              value: model.preference === null ? 'off' : String(model.preference),
              note:
                model.preference === null ? 'criteria count alike' : 'how criteria share weight',
            },
            {
              name: 'Ratings',
              value: format.short(model.interactions),
              note: `state ${format.count(model.version)}`,
            },
          ]}
        />
        {model.why && (
          <p class="notice">
            <strong>Why this solver:</strong> {model.why}
          </p>
        )}
        <Filters model={model} />
        <Validation choice={model.choice} />
      </div>
    </>
  );
}

function Filters({ model: { filters } }: { model: Model }) {
  const label = filters.map((f) => `${f.criterion}: ${f.filter}, s = ${f.power}`).join('; ');
  // Criteria with the same filter have the same curve: dashes let the lower one show through.
  const same = filters.map(
    (f, i) => filters.slice(0, i).filter((g) => g.filter === f.filter).length,
  );
  // With s = 1 the graph has no eigenvalue beyond 1, and what a curve does there would flatten the rest.
  const curves = filters.map((f) => f.response.filter(([x]) => x <= 1 + 1e-9));
  const samples = curves[0] ?? [];
  return (
    <section class="card" aria-labelledby="filters">
      <h2 id="filters">Filters</h2>
      <p class="small muted">
        P is the item graph, its entries raised to the power s: below 1 weak links count for more,
        above 1 for less.
      </p>
      <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="filters">
        <table>
          <thead>
            <tr>
              <th scope="col">Criterion</th>
              <th scope="col">Filter</th>
              <th scope="col">Formula</th>
              <th scope="col" class="num">
                Power s
              </th>
            </tr>
          </thead>
          <tbody>
            {filters.map(({ criterion, filter, coefficients, power }, c) => (
              <tr key={criterion}>
                <td>
                  <span class="heat-head">
                    <Swatch criterion={c} />
                    {criterion}
                  </span>
                </td>
                <td>{filter}</td>
                <td class="formula">{formula(coefficients)}</td>
                <td class="num">{power}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h3 class="spaced">Frequency response</h3>
      <p class="small muted">
        How much of a signal passes, from smooth over the graph (left, 0: alike on linked items) to
        rough (right).
      </p>
      <Legend criteria={filters.map((f) => ({ name: f.criterion }))} />
      <ChartBox
        label={`Frequency response. ${label}`}
        height={300}
        inputs={[filters]}
        table={{
          head: ['x', ...filters.map((f) => f.criterion)],
          rows: samples
            .map(([x], k) => [
              x.toFixed(2),
              ...curves.map((curve) => (curve[k]?.[1] ?? 0).toFixed(3)),
            ])
            .filter((_, k) => k % Math.max(1, Math.floor(samples.length / 16)) === 0),
        }}
        make={(colours) => ({
          type: 'line',
          data: {
            datasets: curves.map((f, c) => ({
              data: f.map(([x, y]) => ({ x, y })),
              borderColor: colours.criterion(c),
              borderWidth: 2.5,
              borderDash: same[c] ? [10, 10 * same[c]] : [],
              order: -(same[c] ?? 0),
              pointRadius: 0,
              pointHitRadius: 8,
            })),
          },
          options: {
            interaction: { mode: 'nearest', intersect: false },
            scales: {
              x: {
                type: 'linear',
                ...axis(colours, 'eigenvalue of the Laplacian, x'),
                min: 0,
                max: 1,
              },
              y: axis(colours, 'h(x)'),
            },
            plugins: {
              tooltip: {
                ...tooltip(colours, ({ datasetIndex, dataIndex }) => {
                  const [x, y] = curves[datasetIndex]?.[dataIndex] ?? [0, 0];
                  return `${filters[datasetIndex]?.criterion}: h(${x.toFixed(2)}) = ${y.toFixed(3)}`;
                }),
                displayColors: false,
              },
            },
          },
        })}
      />
    </section>
  );
}

function Validation({ choice }: { choice: Choice | null }) {
  if (!choice)
    return (
      <section class="card">
        <h2>Validation</h2>
        <p class="muted">
          The filters were given, not chosen, or the model was loaded from a file; so nothing was
          measured here.
        </p>
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
      <h2 id="validation">How the filters were chosen</h2>
      <p class="small muted">
        On ratings held back from {format.plural(choice.users, 'person', 'people')}, {measure} rose
        from {start.toFixed(4)} to {end.toFixed(4)} in {format.plural(steps.length, 'trial')}. What
        raised it was kept.{' '}
        {steps.some((s) => s.value < floor) &&
          'Trials that did far worse lie below the picture; the list has all of them.'}
      </p>
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
              y: { ...axis(colours, measure), min: floor },
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
          <table>
            <thead>
              <tr>
                <th scope="col">Tried</th>
                <th scope="col" class="num">
                  {measure}
                </th>
                <th scope="col">Kept</th>
              </tr>
            </thead>
            <tbody>
              {steps.map(({ tried, value, taken }, i) => (
                <tr key={i}>
                  <td>{tried}</td>
                  <td class="num">{value.toFixed(4)}</td>
                  <td class={taken ? 'taken' : undefined}>{taken ? 'yes' : 'no'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
