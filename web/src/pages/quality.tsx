// How good lists are: methods beside each other on ratings held back, for all and for one person.
import { useEffect, useState } from 'preact/hooks';
import type { ComparisonResult } from '../api';
import { JobStatus } from '../components/job';
import { PageHead } from '../components/layout';
import { MetricIntervals } from '../components/metric_intervals';
import { SideBySide } from '../components/side_by_side';
import { Failed, Loading, NoRatings } from '../components/states';
import { Table } from '../components/table';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import { signed } from '../lib/dials';
import * as format from '../lib/format';
import { useJobs, type JobsOfKind } from '../lib/jobs';
import { comparable } from '../lib/method_text';

const usual = ['popularity', 'item-knn', 'ease', 'adaptive'];
const mostMethods = 8;

export function QualityPage({ params }: { params: URLSearchParams }) {
  const { api, criteria } = useApp();
  const jobs = useJobs('comparison');
  const id = jobs.done?.id;
  const job = useAsked(id === undefined ? undefined : (signal) => api.job(id, signal), [id]);
  if (criteria.length === 0) return <NoRatings />;
  const result = job.answer?.result as ComparisonResult | null | undefined;
  return (
    <>
      <PageHead title="Quality">
        How good lists are: part of everyone’s ratings is held back, each method is fitted on the
        rest, and its lists are compared with what people turned out to like.
      </PageHead>
      <div class="stack">
        <Order jobs={jobs} done={result != null} />
        {jobs.error && <Failed error={jobs.error} again={jobs.again} />}
        {id !== undefined && !job.answer && <Loading what="the comparison" />}
        {result && id !== undefined && (
          <>
            <ForEverybody result={result} test={jobs.done?.asked.test ?? 0.2} />
            <SideBySide job={id} result={result} params={params} />
          </>
        )}
      </div>
    </>
  );
}

function Order({ jobs, done }: { jobs: JobsOfKind; done: boolean }) {
  const { api } = useApp();
  const methods = useAsked((signal) => api.methods(signal), []);
  const [chosen, setChosen] = useState<string[]>(usual);
  const [own, setOwn] = useState<string[]>([]);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(10);
  const served = methods.answer?.served;
  // What is served is what people want to know of first.
  useEffect(() => {
    if (served !== undefined) setChosen((c) => (c.includes(served) ? c : [...c, served]));
  }, [served]);
  const choices = [...(methods.answer ? comparable(methods.answer) : usual), ...own];
  const toggle = (name: string) =>
    setChosen(chosen.includes(name) ? chosen.filter((c) => c !== name) : [...chosen, name]);
  const asked = choices.filter((name) => chosen.includes(name));
  const add = () => {
    const text = typed.trim();
    if (text && !choices.includes(text)) setOwn([...own, text]);
    if (text && !chosen.includes(text)) setChosen([...chosen, text]);
    setTyped('');
  };
  return (
    <section class="card stack" aria-label="Compare">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          jobs.submit(api.compare({ methods: asked, at }));
        }}
      >
        <fieldset class="checks">
          <legend>Methods; the first is what the others are compared with</legend>
          {choices.map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={() => toggle(name)}
              />
              <span class="breakable">
                {name}
                {name === served && <span class="muted"> · served now</span>}
              </span>
            </label>
          ))}
        </fieldset>
        <div class="ask">
          <label class="field grow">
            <span>Other settings</span>
            <input
              type="text"
              autocomplete="off"
              spellcheck={false}
              placeholder="ease:lambda=200"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !typed.trim()) return;
                event.preventDefault();
                add();
              }}
            />
          </label>
          <button class="button" type="button" onClick={add} disabled={!typed.trim()}>
            Add
          </button>
          <label class="field">
            <span>Length of lists</span>
            <select
              value={String(at)}
              onChange={(event) => setAt(Number(event.currentTarget.value))}
            >
              {[5, 10, 20].map((n) => (
                <option key={n} value={String(n)}>
                  {n}
                </option>
              ))}
            </select>
          </label>
          <button
            class="button primary"
            type="submit"
            disabled={jobs.open !== undefined || asked.length < 1 || asked.length > mostMethods}
          >
            {done ? 'Compare again' : 'Compare'}
          </button>
        </div>
      </form>
      {asked.length > mostMethods && (
        <p class="small muted">At most {mostMethods} can be compared at once.</p>
      )}
      <JobStatus jobs={jobs} />
      {jobs.ready && !done && !jobs.open && (
        <p class="muted">
          Nothing was compared yet. It goes on in the background, and what is served does not
          change. A method that finds its settings takes a while.
        </p>
      )}
    </section>
  );
}

function ForEverybody({ result, test }: { result: ComparisonResult; test: number }) {
  const measured = result.methods.filter(({ left_out }) => left_out === null);
  const [metric, setMetric] = useState('');
  const preferred = result.metrics.find((m) => m.startsWith('ndcg@')) ?? result.metrics[0] ?? '';
  const shown = result.metrics.includes(metric) ? metric : preferred;
  return (
    <section class="card stack" aria-labelledby="everybody">
      <div>
        <h2 id="everybody">For everybody</h2>
        <p class="small muted">
          Over {format.plural(result.users, 'person', 'people')}; {format.percent(test)} of
          everyone’s ratings held back; liked: {result.relevance}. An interval holds the true mean
          19 times in 20.
        </p>
      </div>
      <div class="ask">
        <label class="field">
          <span>Measure</span>
          <select value={shown} onChange={(event) => setMetric(event.currentTarget.value)}>
            {result.metrics.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <MetricIntervals result={result} metric={shown} />
      {result.methods
        .filter(({ left_out }) => left_out !== null)
        .map(({ name, left_out }) => (
          <p key={name} class="notice breakable">
            <strong>{name}</strong> was left out: {left_out}
          </p>
        ))}
      <Differences result={result} metric={shown} />
      <details class="as-table">
        <summary>All measures</summary>
        <div class="scroll-x" tabIndex={0} role="group" aria-label="All measures">
          <Table
            head={['Measure', ...measured.map(({ name }) => name)]}
            rows={result.metrics.map((name) => [
              name,
              ...measured.map(({ metrics }) => metrics[name]?.mean.toFixed(4) ?? '–'),
            ])}
            num={(column) => column > 0}
          />
        </div>
      </details>
      <details class="as-table">
        <summary>Settings and seconds</summary>
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Settings and seconds">
          <Table
            head={['Method', 'Settings', 'Seconds']}
            rows={measured.map(({ name, settings, seconds }) => [
              name,
              <code>{JSON.stringify(settings)}</code>,
              seconds.toFixed(1),
            ])}
            num={(column) => column === 2}
          />
        </div>
      </details>
    </section>
  );
}

function Differences({ result, metric }: { result: ComparisonResult; metric: string }) {
  const rows = result.differences.filter((d) => d.metric === metric);
  if (rows.length === 0) return null;
  return (
    <div>
      <h3>Compared with {rows[0]!.baseline}, person by person</h3>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Differences">
        <Table
          head={['Method', 'Difference', '95 % interval', 'p']}
          rows={rows.map(({ method, difference, low, high, p }) => [
            method,
            <span class={low > 0 ? 'better' : high < 0 ? 'worse' : undefined}>
              {signed(difference, 4)}
            </span>,
            `${signed(low, 4)} to ${signed(high, 4)}`,
            p < 0.0001 ? '< 0.0001' : p.toFixed(4),
          ])}
          num={(column) => column > 0}
        />
      </div>
    </div>
  );
}
