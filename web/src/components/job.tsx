// How far a job is, with a button to cancel it; or why it came to nothing.
import type { Job } from '../api';
import * as format from '../lib/format';
import { kindNames, type JobsOfKind } from '../lib/jobs';
import { Failed } from './states';

export function JobStatus({ jobs }: { jobs: JobsOfKind }) {
  const { open, failed, cancelled, refused, other } = jobs;
  return (
    <>
      {refused && <Failed error={refused} />}
      {open && <Progress job={open} other={other} cancel={() => jobs.cancel(open)} />}
      {!open && failed?.error && (
        <div class="error-box" role="alert">
          <h2>It did not work</h2>
          <p class="breakable">{failed.error.detail}</p>
          {failed.error.hint && <p class="breakable">{failed.error.hint}</p>}
        </div>
      )}
      {!open && cancelled && <p class="notice">The last one was cancelled.</p>}
    </>
  );
}

function Progress({ job, other, cancel }: { job: Job; other: Job | undefined; cancel(): void }) {
  const { progress } = job;
  const text = progress ? progress.stage || 'beginning' : waitingText(other);
  const left = progress?.seconds_left;
  return (
    <div class="job" role="status" aria-live="off">
      <div class="row-between">
        <span class="breakable">{text}</span>
        <button class="button" type="button" onClick={cancel}>
          Cancel
        </button>
      </div>
      <progress
        class="progress"
        max={1}
        {...(progress ? { value: progress.share } : {})}
        aria-label="Done so far"
      />
      <p class="small muted number job-left">
        {progress ? format.percent(progress.share) : ''}
        {left != null && `, about ${format.seconds(Math.max(1, left))} left`}
      </p>
    </div>
  );
}

const waitingText = (other: Job | undefined): string =>
  other ? `Waiting: ${kindNames[other.kind]} runs now` : 'Waiting';
