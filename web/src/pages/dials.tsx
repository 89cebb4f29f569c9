// What turning a criterion up or down does to lists: measured, not promised.
import { useState } from 'preact/hooks';
import type { DialsResult } from '../api';
import { Legend, Swatch } from '../components/attribution';
import { axis, ChartBox, curveOptions } from '../components/chart';
import { JobStatus } from '../components/job';
import { PageHead } from '../components/layout';
import { Failed, Loading, NoRatings } from '../components/states';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import { byCriterion, signed } from '../lib/dials';
import * as format from '../lib/format';
import { useJobs } from '../lib/jobs';
import { comparable } from '../lib/method_text';

export function DialsPage() {
  const { api, criteria } = useApp();
  const jobs = useJobs('dials');
  const id = jobs.done?.id;
  const job = useAsked(id === undefined ? undefined : (signal) => api.job(id, signal), [id]);
  const methods = useAsked((signal) => api.methods(signal), []);
  const [method, setMethod] = useState('');
  if (criteria.length === 0) return <NoRatings />;
  const result = job.answer?.result as DialsResult | null | undefined;
  return (
    <>
      <PageHead title="Dials">
        A slider of <em>Recommend</em> says how much a criterion counts. Here each is turned to a
        quarter, a half, twice and four times, for many people, and what becomes of their lists is
        measured.
      </PageHead>
      <div class="stack">
        <section class="card stack" aria-label="Measure">
          <form
            class="ask"
            onSubmit={(event) => {
              event.preventDefault();
              jobs.submit(api.dials(method || null));
            }}
          >
            <label class="field">
              <span>Method</span>
              <select value={method} onChange={(event) => setMethod(event.currentTarget.value)}>
                <option value="">as served</option>
                {methods.answer &&
                  comparable(methods.answer).map((one) => (
                    <option key={one} value={one}>
                      {one}
                    </option>
                  ))}
              </select>
            </label>
            <button class="button primary" type="submit" disabled={jobs.open !== undefined}>
              {result ? 'Measure again' : 'Measure'}
            </button>
          </form>
          <JobStatus jobs={jobs} />
          {jobs.error && <Failed error={jobs.error} again={jobs.again} />}
          {jobs.ready && id === undefined && !jobs.open && (
            <p class="muted">
              Nothing was measured yet. A fifth of everyone’s ratings is held back, and a model is
              fitted on the others; what is served does not change.
            </p>
          )}
        </section>
        {id !== undefined && !job.answer && <Loading what="what was measured" />}
        {result && <Effects result={result} />}
      </div>
    </>
  );
}

function Effects({ result }: { result: DialsResult }) {
  const rows = byCriterion(result);
  const turned = rows.map(({ criterion, effects }) => ({
    criterion,
    effects: effects.filter(({ weight }) => weight !== 1),
  }));
  const names = rows.map(({ criterion }) => ({ name: criterion }));
  const loss = (ndcg: number) =>
    result.ndcg > 0 ? `${signed(100 * (ndcg / result.ndcg - 1), 1)} %` : '–';
  const label = rows
    .map(
      ({ criterion, effects }) =>
        `${criterion} at twice ${signed(effects.find((e) => e.weight === 2)?.shift ?? 0, 2)}`,
    )
    .join(', ');
  return (
    <section class="card" aria-labelledby="effects">
      <h2 id="effects">How far lists move</h2>
      <p class="small muted">
        {result.method}, {format.plural(result.users, 'person', 'people')}, liked:{' '}
        {result.relevance}. The shift is how much higher the ten items stand out on the criterion
        than without the dial, in standard deviations over all items. A dial that does what it says
        rises from left to right.
      </p>
      <Legend criteria={names} />
      <ChartBox
        label={`Shift by weight. ${label}`}
        height={300}
        inputs={[result]}
        make={(colours) => ({
          type: 'line',
          data: {
            datasets: rows.map(({ effects }, c) => ({
              data: effects.map(({ weight, shift }) => ({ x: Math.log2(weight), y: shift })),
              borderColor: colours.criterion(c),
              backgroundColor: colours.criterion(c),
              borderWidth: 2.5,
              pointRadius: 4,
              pointHitRadius: 8,
            })),
          },
          options: curveOptions(
            colours,
            {
              ...axis(colours, 'weight of the criterion'),
              min: -2,
              max: 2,
              ticks: {
                ...axis(colours).ticks,
                stepSize: 1,
                callback: (x: number | string) => `×${2 ** Number(x)}`,
              },
            },
            axis(colours, 'shift, standard deviations'),
            ({ datasetIndex, dataIndex }) => {
              const one = rows[datasetIndex]?.effects[dataIndex];
              return one ? `${one.criterion} ×${one.weight}: ${signed(one.shift, 2)}` : '';
            },
          ),
        })}
      />
      <div class="scroll-x spaced" tabIndex={0} role="group" aria-labelledby="effects">
        <table>
          <thead>
            <tr>
              <th scope="col">Criterion</th>
              {['Weight', 'Shift', 'Others of 10', 'NDCG@10'].map((name) => (
                <th key={name} scope="col" class="num">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {turned.flatMap(({ criterion, effects }, c) =>
              effects.map((one, k) => (
                <tr
                  key={`${criterion}${one.weight}`}
                  class={k === 0 && c > 0 ? 'group' : undefined}
                >
                  {k === 0 && (
                    <th scope="rowgroup" rowSpan={effects.length}>
                      <span class="heat-head">
                        <Swatch criterion={c} />
                        {criterion}
                      </span>
                    </th>
                  )}
                  <td class="num">×{one.weight}</td>
                  <td class="num">{signed(one.shift, 2)}</td>
                  <td class="num">{one.changed.toFixed(1)}</td>
                  <td class="num">{loss(one.ndcg)}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
      <p class="small muted">NDCG@10 without dials: {result.ndcg.toFixed(4)}.</p>
    </section>
  );
}
