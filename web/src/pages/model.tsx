import type { Model } from '../api';
import { FitForm } from '../components/fit_form';
import { Legend, Swatch } from '../components/attribution';
import { axis, ChartBox, curveOptions } from '../components/chart';
import { HowChosen } from '../components/how_chosen';
import { PageHead } from '../components/layout';
import { Empty, Failed, Loading, NoRatings } from '../components/states';
import { Table } from '../components/table';
import { Tiles, type TileData } from '../components/tiles';
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
  if (model.state === 'fitting' && !model.method)
    return (
      <Empty title="The model is being fitted">
        <p>Look again in a moment.</p>
        <button class="button" type="button" onClick={again}>
          Look again
        </button>
      </Empty>
    );
  const filtered = model.filters.length > 0;
  return (
    <>
      <PageHead title="Model">
        {filtered
          ? 'Items are linked by how alike they are rated. A filter per criterion passes ratings ' +
            'on along these links; there is nothing to train.'
          : 'Every rated item has a weight for every other: what a rating of the one says for or ' +
            'against the other. The shape of these weights was found on the ratings.'}
      </PageHead>
      <div class="stack">
        <Tiles
          tiles={[
            { name: 'Method', value: model.method, note: `of palate ${model.trained_with}` },
            ...(filtered ? filterTiles(model) : []),
            { name: 'Memory', value: format.bytes(model.memory_bytes), note: 'model and ratings' },
            {
              name: 'Ratings',
              value: format.short(model.interactions),
              note: `of ${format.count(model.items)} items, state ${format.count(model.version)}`,
            },
            ...predictionTiles(model),
          ]}
        />
        {model.why && (
          <p class="notice">
            <strong>Why this solver:</strong> {model.why}
          </p>
        )}
        {filtered ? <Filters model={model} /> : <Settings model={model} />}
        {model.response.length > 0 && <Ridge response={model.response} />}
        <HowChosen choice={model.choice} />
        <FitForm fitted={again} />
      </div>
    </>
  );
}

/** How far predicted ratings are off on those that were held back. */
function predictionTiles({ prediction }: Model): TileData[] {
  const [name, of] = Object.entries(prediction ?? {})[0] ?? [];
  if (name === undefined || of === undefined) return [];
  return [
    {
      name: 'Predicted ratings',
      value: `± ${of.mae.toFixed(2)}`,
      note: `${name}, on average; ± ${of.trivial_mae.toFixed(2)} by the simplest way`,
    },
  ];
}

const filterTiles = (model: Model): TileData[] => [
  { name: 'Solver', value: model.solver || '–', note: `graph kept ${model.storage}` },
  {
    name: 'Links',
    value: format.short(model.graph_entries),
    note: `between ${format.count(model.items)} items`,
  },
  {
    name: 'Preference power',
    value: model.preference === null ? 'off' : String(model.preference),
    note: model.preference === null ? 'criteria count alike' : 'how criteria share weight',
  },
];

function Settings({ model }: { model: Model }) {
  // The graph has no use for a lambda.
  const settings = model.settings.filter(
    ({ name }) =>
      model.method !== 'adaptive' || model.response.length > 0 || !name.startsWith('lambda'),
  );
  if (settings.length === 0) return null;
  return (
    <section class="card" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="settings">
        <Table
          head={['Setting', 'Value', 'What it does']}
          rows={settings.map(({ name, value, help }) => [
            name,
            value,
            <span class="muted">{help}</span>,
          ])}
          num={(column) => column === 1}
        />
      </div>
    </section>
  );
}

function Ridge({ response }: { response: Model['response'] }) {
  const passing = (strength: number) => {
    const near = response.reduce((a, b) =>
      Math.abs((b[0] ?? 0) - strength) < Math.abs((a[0] ?? 0) - strength) ? b : a,
    );
    return `${Math.round(100 * (near[1] ?? 0))} %`;
  };
  return (
    <section class="card" aria-labelledby="ridge">
      <h2 id="ridge">What the ridge lets through</h2>
      <p class="small muted">
        Patterns that many ratings share pass; weak ones, mostly chance, are held back. Of the
        average pattern {passing(1)} pass, of one 10 times as strong {passing(10)}, of one 100 times
        as strong {passing(100)}. The larger lambda, the further right the curve.
      </p>
      <ChartBox
        label={`Share of a pattern that passes: ${passing(1)} of the average one, ${passing(100)} of one 100 times as strong`}
        height={240}
        inputs={[response]}
        make={(colours) => ({
          type: 'line',
          data: {
            datasets: [
              {
                data: response.map(([x = 1, y = 0]) => ({ x: Math.log10(x), y })),
                borderColor: colours.accent,
                borderWidth: 2.5,
                pointRadius: 0,
                pointHitRadius: 8,
              },
            ],
          },
          options: curveOptions(
            colours,
            {
              ...axis(colours, 'strength of a pattern of ratings; 1 is the average one'),
              min: -2,
              max: 3,
              ticks: {
                ...axis(colours).ticks,
                stepSize: 1,
                callback: (x: number | string) => 10 ** Number(x),
              },
            },
            { ...axis(colours, 'share that passes'), min: 0, max: 1 },
            ({ dataIndex }) => {
              const [x = 1, y = 0] = response[dataIndex] ?? [];
              return `${x.toPrecision(2)} times the average: ${Math.round(100 * y)} % passes`;
            },
          ),
        })}
      />
    </section>
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
          options: curveOptions(
            colours,
            { ...axis(colours, 'eigenvalue of the Laplacian, x'), min: 0, max: 1 },
            axis(colours, 'h(x)'),
            ({ datasetIndex, dataIndex }) => {
              const [x, y] = curves[datasetIndex]?.[dataIndex] ?? [0, 0];
              return `${filters[datasetIndex]?.criterion}: h(${x.toFixed(2)}) = ${y.toFixed(3)}`;
            },
          ),
        })}
      />
    </section>
  );
}
