import type { Data, DataCriterion } from '../api';
import { Swatch } from '../components/attribution';
import { axis, ChartBox, tooltip } from '../components/chart';
import { PageHead } from '../components/layout';
import { Failed, Loading, NoRatings } from '../components/states';
import { Table } from '../components/table';
import { Tiles } from '../components/tiles';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import * as format from '../lib/format';
import { shareOfTop } from '../lib/tail';
import { href } from '../lib/router';

export function DataPage() {
  const { api } = useApp();
  const { answer: data, error, again } = useAsked((signal) => api.data(signal), []);
  if (error) return <Failed error={error} again={again} />;
  if (!data) return <Loading what="the data" />;
  if (data.ratings === 0) return <NoRatings />;
  const { ratings_per_user: per } = data;
  return (
    <>
      <PageHead
        title="Data"
        tools={
          <a class="button" href={href('upload')}>
            Upload a file
          </a>
        }
      >
        What people have rated, and how.
      </PageHead>
      <div class="stack">
        <Tiles
          tiles={[
            {
              name: 'Ratings',
              value: format.short(data.ratings),
              note: 'pairs of a person and an item',
            },
            {
              name: 'People',
              value: format.short(data.users),
              note: `${format.count(per.min)} to ${format.count(per.max)} ratings each`,
            },
            { name: 'Items', value: format.short(data.items) },
            {
              name: 'Ratings per person',
              value: format.count(per.median),
              note: `median; mean ${format.rating(per.mean)}`,
            },
            {
              name: 'Filled',
              value: format.percent(data.density, 2),
              note: 'of all pairs are rated',
            },
          ]}
        />
        <section class="card" aria-labelledby="grades">
          <h2 id="grades">How each criterion is graded</h2>
          <p class="small muted">How often each grade was given.</p>
          <div class="grid-3">
            {data.criteria.map((criterion, c) => (
              <Histogram key={criterion.name} criterion={criterion} index={c} />
            ))}
          </div>
        </section>
        <div class="grid-2">
          <Missing data={data} />
          <LongTail data={data} />
        </div>
        <Top data={data} />
      </div>
    </>
  );
}

const binName = ({ from, to }: { from: number; to: number }) =>
  from === to ? format.rating(from) : `${format.rating(from)}–${format.rating(to)}`;

function Histogram({ criterion, index }: { criterion: DataCriterion; index: number }) {
  const bins = criterion.histogram;
  const most = bins.reduce(
    (a, b) => (b.count > a.count ? b : a),
    bins[0] ?? { from: 0, to: 0, count: 0 },
  );
  return (
    <div>
      <h3 class="heat-head">
        <Swatch criterion={index} />
        {criterion.name}
      </h3>
      <p class="small muted">mean {format.mean(criterion.mean)}</p>
      <ChartBox
        label={`Grades for ${criterion.name}: mean ${format.mean(criterion.mean)}, most often ${binName(most)}`}
        height={150}
        inputs={[criterion]}
        table={{
          head: ['Grade', 'Times given'],
          rows: bins.map((b) => [binName(b), format.count(b.count)]),
        }}
        make={(colours) => ({
          type: 'bar',
          data: {
            labels: bins.map(binName),
            datasets: [
              {
                data: bins.map((b) => b.count),
                backgroundColor: colours.criterion(index),
                borderRadius: 3,
                categoryPercentage: 0.92,
                barPercentage: 0.94,
              },
            ],
          },
          options: {
            scales: {
              x: axis(colours, undefined, false),
              y: {
                ...axis(colours),
                ticks: {
                  ...axis(colours).ticks,
                  maxTicksLimit: 4,
                  callback: (v) => format.short(Number(v)),
                },
              },
            },
            plugins: {
              tooltip: tooltip(
                colours,
                ({ dataIndex }) => `given ${format.count(bins[dataIndex]?.count ?? 0)} times`,
              ),
            },
          },
        })}
      />
    </div>
  );
}

function Missing({ data }: { data: Data }) {
  const rows = data.criteria;
  return (
    <section class="card" aria-labelledby="missing">
      <h2 id="missing">Left out</h2>
      <p class="small muted">
        Share of ratings without a grade for the criterion. Absent grades count as nothing, not as
        bad ones.
      </p>
      <ChartBox
        label={`Share left out: ${rows.map((r) => `${r.name} ${format.percent(r.missing)}`).join(', ')}`}
        height={36 + rows.length * 32}
        inputs={[data]}
        table={{
          head: ['Criterion', 'Left out', 'Given'],
          rows: rows.map((r) => [r.name, format.percent(r.missing, 1), format.count(r.ratings)]),
        }}
        make={(colours) => ({
          type: 'bar',
          data: {
            labels: rows.map((r) => r.name),
            datasets: [
              {
                data: rows.map((r) => r.missing * 100),
                backgroundColor: rows.map((_, c) => colours.criterion(c)),
                borderRadius: 4,
                barThickness: 14,
              },
            ],
          },
          options: {
            indexAxis: 'y',
            scales: {
              x: {
                ...axis(colours),
                min: 0,
                suggestedMax: 20,
                ticks: { ...axis(colours).ticks, callback: (v) => `${v} %` },
              },
              y: axis(colours, undefined, false),
            },
            plugins: {
              tooltip: tooltip(colours, ({ dataIndex }) =>
                format.percent(rows[dataIndex]?.missing ?? 0, 1),
              ),
            },
          },
        })}
      />
    </section>
  );
}

function LongTail({ data }: { data: Data }) {
  const { points } = data.long_tail;
  const fifth = shareOfTop(points, 0.2);
  return (
    <section class="card" aria-labelledby="tail">
      <h2 id="tail">The long tail</h2>
      <p class="small muted">
        The most rated 20 % of items get {format.percent(fifth)} of all ratings. The dashed line is
        where all items were rated equally often.
      </p>
      <ChartBox
        label={`Share of ratings by share of items, most rated first: 20 % of items get ${format.percent(fifth)} of ratings`}
        height={230}
        inputs={[data]}
        table={{
          head: ['Most rated items', 'Share of ratings'],
          rows: [0.01, 0.05, 0.1, 0.2, 0.5].map((s) => [
            format.percent(s),
            format.percent(shareOfTop(points, s), 1),
          ]),
        }}
        make={(colours) => ({
          type: 'line',
          data: {
            datasets: [
              {
                data: points.map(([x, y]) => ({ x: x * 100, y: y * 100 })),
                borderColor: colours.accent,
                borderWidth: 2.5,
                pointRadius: 0,
                pointHitRadius: 12,
              },
              {
                data: [
                  { x: 0, y: 0 },
                  { x: 100, y: 100 },
                ],
                borderColor: colours.muted,
                borderDash: [4, 4],
                borderWidth: 1,
                pointRadius: 0,
                pointHitRadius: 0,
              },
            ],
          },
          options: {
            scales: {
              x: {
                type: 'linear',
                ...axis(colours, 'items, most rated first (%)', false),
                min: 0,
                max: 100,
              },
              y: { ...axis(colours, 'ratings (%)'), min: 0, max: 100 },
            },
            plugins: {
              tooltip: {
                ...tooltip(colours, ({ dataIndex }) => {
                  const [x, y] = points[dataIndex] ?? [0, 0];
                  return `${format.percent(x, 1)} of items: ${format.percent(y, 1)} of ratings`;
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

function Top({ data }: { data: Data }) {
  return (
    <section class="card" aria-labelledby="top">
      <h2 id="top">Most rated</h2>
      <Table
        head={['Item', 'People']}
        num={(column) => column === 1}
        rows={data.long_tail.top.slice(0, 10).map(({ item, title, raters }) => [
          <a key={item} class="breakable" href={href('items', { id: item })}>
            {title || item}
          </a>,
          format.count(raters),
        ])}
      />
    </section>
  );
}
