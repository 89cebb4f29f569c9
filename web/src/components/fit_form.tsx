// Another method, or other settings, fitted on all ratings and served from then on.
import { useEffect, useState } from 'preact/hooks';
import type { Method, MethodList } from '../api';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import { useJobs } from '../lib/jobs';
import { methodText, settable, waysOf, type SettingsWay } from '../lib/method_text';
import { JobStatus } from './job';
import { Failed } from './states';

const wayNames: Record<SettingsWay, string> = {
  automatic: 'Found on the ratings',
  preset: 'Published settings',
  hand: 'By hand',
};

export function FitForm({ fitted }: { fitted(): void }) {
  const { api } = useApp();
  const jobs = useJobs('fit');
  const methods = useAsked((signal) => api.methods(signal), [jobs.done?.id]);
  useEffect(() => {
    if (jobs.done) fitted();
  }, [jobs.done?.id]);
  return (
    <section class="card stack" aria-labelledby="fit-title">
      <div>
        <h2 id="fit-title">Fit anew</h2>
        <p class="small muted">
          On all ratings, with another method or other settings. What is served now stays until the
          fit is done.
          {methods.answer && (
            <>
              {' '}
              Asked for now: <code>{methods.answer.served}</code>
              {methods.answer.served_automatic && ', settings found on the ratings'}.
            </>
          )}
        </p>
      </div>
      {methods.error && <Failed error={methods.error} again={methods.again} />}
      {methods.answer && (
        <Form
          list={methods.answer}
          busy={jobs.open !== undefined}
          start={(text) => jobs.submit(api.fit(text))}
        />
      )}
      <JobStatus jobs={jobs} />
    </section>
  );
}

interface FormProps {
  list: MethodList;
  busy: boolean;
  start(method: string): void;
}

function Form({ list, busy, start }: FormProps) {
  const choices = list.methods.filter(({ can }) => can.serve_newcomers);
  const served = list.served.replace(/:.*/, '');
  const [name, setName] = useState(served);
  const [wanted, setWanted] = useState<SettingsWay>('automatic');
  const [preset, setPreset] = useState(list.presets[0] ?? '');
  const [byHand, setByHand] = useState<Record<string, string>>({});
  const method = choices.find((m) => m.name === name) ?? choices[0];
  if (!method) return null;
  const ways = waysOf(method, list.presets);
  const way = ways.includes(wanted) ? wanted : (ways[0] ?? 'hand');
  const pick = (next: string) => {
    setName(next);
    setByHand({});
  };
  const text = methodText(method, way, preset, byHand);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        start(text);
      }}
    >
      <div class="picker">
        <label class="field">
          <span>Method</span>
          <select value={method.name} onChange={(event) => pick(event.currentTarget.value)}>
            {choices.map((m) => (
              <option key={m.name} value={m.name}>
                {m.name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Settings</span>
          <select
            value={way}
            onChange={(event) => setWanted(event.currentTarget.value as SettingsWay)}
          >
            {ways.map((w) => (
              <option key={w} value={w}>
                {wayNames[w]}
              </option>
            ))}
          </select>
        </label>
        {way === 'preset' && (
          <label class="field">
            <span>Published for</span>
            <select value={preset} onChange={(event) => setPreset(event.currentTarget.value)}>
              {list.presets.map((one) => (
                <option key={one} value={one}>
                  {one.toUpperCase()}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <p class="small muted">{method.summary}</p>
      {way === 'hand' && <ByHand method={method} values={byHand} changed={setByHand} />}
      <div class="row-end">
        <code class="breakable">{text}</code>
        <button class="button primary" type="submit" disabled={busy}>
          Fit and serve
        </button>
      </div>
    </form>
  );
}

interface ByHandProps {
  method: Method;
  values: Readonly<Record<string, string>>;
  changed(values: Record<string, string>): void;
}

function ByHand({ method, values, changed }: ByHandProps) {
  const settings = settable(method);
  if (settings.length === 0) return <p class="muted">It has no settings.</p>;
  const set = (name: string, value: string) => changed({ ...values, [name]: value });
  return (
    <div class="settings">
      {settings.map(({ name, kind, help, default: usual, choices }) => {
        const options = kind === 'flag' ? ['true', 'false'] : (choices ?? []);
        return (
          <label key={name} class="field">
            <span>{name}</span>
            {options.length > 0 ? (
              <select
                value={values[name] ?? usual}
                onChange={(event) => set(name, event.currentTarget.value)}
              >
                {options.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            ) : (
              <input
                type="text"
                autocomplete="off"
                spellcheck={false}
                placeholder={usual}
                value={values[name] ?? ''}
                onInput={(event) => set(name, event.currentTarget.value.trim())}
              />
            )}
            <small class="muted">{help}</small>
          </label>
        );
      })}
    </div>
  );
}
