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
        (graph.behind > 0 ? `, ${format.short(graph.behind)} of them not in the graph yet` : ''),
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
    <section class="card" aria-labelledby="throughput">
      <h2 id="throughput">Throughput</h2>
      <p class="small muted">Requests a second, in steps of {bucketSeconds} seconds.</p>
      <ChartBox
        label={`Requests a second over time; last ${format.rating(rate.at(-1) ?? 0)}`}
        height={200}
        inputs={[history]}
        table={{
          head: ['When', 'Requests a second'],
          rows: history.map((h, i) => [ago(h.seconds_ago), format.rating(rate[i])]),
        }}
        make={(colours) => ({
          type: 'line',
          data: {
            labels: history.map((h) => ago(h.seconds_ago)),
            datasets: [
              {
                data: rate,
                borderColor: colours.accent,
                borderWidth: 2,
                pointRadius: 0,
                pointHitRadius: 8,
              },
            ],
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
                ...tooltip(
                  colours,
                  ({ dataIndex }) => `${format.rating(rate[dataIndex])} a second`,
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

function Latency({ now: { history } }: { now: Service }) {
  return (
    <section class="card" aria-labelledby="latency">
      <h2 id="latency">Latency</h2>
      <p class="small muted">
        Milliseconds: half of all answers were faster (full line), 99 % were (dashed).
      </p>
      <ChartBox
        label={`Latency over time; last median ${format.rating(history.at(-1)?.p50_ms)} ms, 99th percentile ${format.rating(history.at(-1)?.p99_ms)} ms`}
        height={200}
        inputs={[history]}
        table={{
          head: ['When', 'p50 (ms)', 'p99 (ms)'],
          rows: history.map((h) => [
            ago(h.seconds_ago),
            format.rating(h.p50_ms),
            format.rating(h.p99_ms),
          ]),
        }}
        make={(colours) => ({
          type: 'line',
          data: {
            labels: history.map((h) => ago(h.seconds_ago)),
            datasets: [
              {
                data: history.map((h) => h.p50_ms),
                borderColor: colours.accent,
                borderWidth: 2,
                pointRadius: 0,
                pointHitRadius: 8,
              },
              {
                data: history.map((h) => h.p99_ms),
                borderColor: colours.accent,
                borderWidth: 1.5,
                borderDash: [5, 4],
                pointRadius: 0,
                pointHitRadius: 8,
              },
            ],
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
                ...tooltip(colours, ({ dataIndex, datasetIndex }) => {
                  const h = history[dataIndex];
                  return datasetIndex === 0
                    ? `p50 ${format.rating(h?.p50_ms)} ms`
                    : `p99 ${format.rating(h?.p99_ms)} ms`;
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
