// For an administrator: keys, the last jobs, and what was done to the service.
import { useState } from 'preact/hooks';
import type { Activity, ApiError, Job, Key, Role } from '../api';
import { PageHead } from '../components/layout';
import { Failed, Loading } from '../components/states';
import { Table } from '../components/table';
import { TextField } from '../components/text_field';
import { useApp } from '../context';
import { asApiError, useAsked } from '../lib/asked';
import { eventText, jobText } from '../lib/events';
import * as format from '../lib/format';

export function AdminPage() {
  const { api } = useApp();
  const [round, setRound] = useState(0);
  const keys = useAsked((signal) => api.keyList(signal), [round]);
  const jobs = useAsked((signal) => api.jobs(signal), [round]);
  const activity = useAsked((signal) => api.activity(signal), [round]);
  const again = () => setRound((r) => r + 1);
  const forbidden = keys.error?.code === 'forbidden';
  return (
    <>
      <PageHead title="Admin">Who may use the service, and what was done to it.</PageHead>
      <div class="stack">
        {forbidden ? (
          <section class="card state">
            <h2>This takes a key of an administrator</h2>
            <p>The key of this visit may not see keys and activity.</p>
            <button
              class="button primary"
              type="button"
              onClick={() => void api.anotherKey().then((key) => key !== null && again())}
            >
              Use another key
            </button>
          </section>
        ) : (
          <>
            {keys.error && <Failed error={keys.error} again={again} />}
            {!keys.answer && !keys.error && <Loading what="keys" />}
            {keys.answer && <Keys keys={keys.answer} changed={again} />}
            {activity.answer && <Events events={activity.answer} />}
          </>
        )}
        {jobs.answer && <LastJobs jobs={jobs.answer} />}
      </div>
    </>
  );
}

const may: Record<Role, string> = {
  read: 'ask',
  write: 'ask, change ratings, compare',
  admin: 'everything',
};

function Keys({ keys, changed }: { keys: readonly Key[]; changed(): void }) {
  const { api } = useApp();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>(keys.length === 0 ? 'admin' : 'read');
  const [secret, setSecret] = useState<{ name: string; secret: string } | undefined>();
  const [asked, setAsked] = useState<string | undefined>();
  const [error, setError] = useState<ApiError | undefined>();
  const then = (work: Promise<unknown>) =>
    void work.then(
      () => {
        setError(undefined);
        setAsked(undefined);
        changed();
      },
      (failure: unknown) => setError(asApiError(failure)),
    );
  const add = (event: Event) => {
    event.preventDefault();
    const made = api.addKey(name.trim(), role).then((key) => {
      setSecret(key);
      setName('');
      setRole('read');
    });
    then(made);
  };
  return (
    <section class="card stack" aria-labelledby="keys">
      <div>
        <h2 id="keys">API keys</h2>
        <p class="small muted">
          {keys.length === 0
            ? 'There are none, so whoever reaches this server may do everything. With the first key, everyone needs one.'
            : 'A secret is shown once, when it is made; only a hash of it is kept.'}
        </p>
      </div>
      {keys.length > 0 && (
        <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="keys">
          <Table
            head={['Name', 'Role', 'May', 'Made', 'Expires', 'Remove']}
            rows={keys.map((key) => [
              <span class="breakable">
                {key.name}
                {key.own && <span class="muted"> · yours</span>}
              </span>,
              key.role,
              <span class="muted">{may[key.role]}</span>,
              format.moment(key.created),
              key.expires === null ? 'never' : format.moment(key.expires),
              asked === key.name ? (
                <button
                  class="button danger small"
                  type="button"
                  onClick={() => then(api.removeKey(key.name))}
                >
                  Remove {key.name} for good
                </button>
              ) : (
                <button
                  class="button quiet small"
                  type="button"
                  aria-label={`Remove ${key.name}`}
                  onClick={() => setAsked(key.name)}
                >
                  Remove
                </button>
              ),
            ])}
            num={() => false}
          />
        </div>
      )}
      {error && <Failed error={error} />}
      {secret && (
        <div class="notice" role="status">
          <p>
            The secret of <strong>{secret.name}</strong>; keep it, it is not shown again:
          </p>
          <p>
            <code>{secret.secret}</code>
          </p>
        </div>
      )}
      <form class="ask" onSubmit={add}>
        <TextField label="Name of a new key" grow value={name} onText={setName} />
        <label class="field">
          <span>Role</span>
          <select value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
            {(['read', 'write', 'admin'] as const)
              .filter((one) => keys.length > 0 || one === 'admin')
              .map((one) => (
                <option key={one} value={one}>
                  {one}: may {may[one]}
                </option>
              ))}
          </select>
        </label>
        <button class="button primary" type="submit" disabled={!name.trim()}>
          Make a key
        </button>
      </form>
    </section>
  );
}

function Events({ events }: { events: readonly Activity[] }) {
  return (
    <section class="card" aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <p class="small muted">
        Keys, imports, restores, criteria and jobs, newest first. Single ratings are not listed.
      </p>
      {events.length === 0 ? (
        <p class="muted">Nothing yet.</p>
      ) : (
        <div class="scroll-x long-list" tabIndex={0} role="group" aria-labelledby="activity">
          <Table
            head={['When', 'What', 'By', 'From']}
            rows={events.map((event) => [
              format.moment(event.time),
              <span class="breakable">{eventText(event)}</span>,
              event.by ?? '–',
              event.from ?? '–',
            ])}
            num={() => false}
          />
        </div>
      )}
    </section>
  );
}

function LastJobs({ jobs }: { jobs: readonly Job[] }) {
  if (jobs.length === 0) return null;
  return (
    <section class="card" aria-labelledby="jobs">
      <h2 id="jobs">Last jobs</h2>
      <div class="scroll-x long-list" tabIndex={0} role="group" aria-labelledby="jobs">
        <Table
          head={['Asked', 'What', 'State', 'Took']}
          rows={jobs.map((job) => [
            format.moment(job.created),
            <span class="breakable">{jobText(job)}</span>,
            job.state,
            job.started !== null && job.ended !== null
              ? format.seconds(Math.max(1, job.ended - job.started))
              : '–',
          ])}
          num={(column) => column === 3}
        />
      </div>
    </section>
  );
}
