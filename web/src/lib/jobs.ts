// Long work on the server: what runs, what came of it.
import { useEffect, useState } from 'preact/hooks';
import type { ApiError, Job } from '../api';
import { useApp } from '../context';
import { asApiError, useAsked } from './asked';

export type Kind = Job['kind'];

export const kindNames: Record<Kind, string> = {
  fit: 'a fit',
  comparison: 'a comparison',
  dials: 'a measurement of dials',
};

export const isOpen = ({ state }: Job): boolean => state === 'waiting' || state === 'running';

/** Of one kind: the job that waits or runs, and the newest that has a result. */
export function jobsOf(jobs: readonly Job[], kind: Kind) {
  const own = jobs.filter((job) => job.kind === kind);
  const open = own.filter(isOpen).at(-1);
  const newest = own[0];
  return {
    open,
    done: own.find((job) => job.has_result),
    /** Only while nothing newer came of it. */
    failed: newest?.state === 'failed' ? newest : undefined,
    cancelled: newest?.state === 'cancelled' ? newest : undefined,
  };
}

const pollMilliseconds = 700;

/** Jobs of one kind, followed while one is open. */
export function useJobs(kind: Kind) {
  const { api } = useApp();
  const { answer, error, again } = useAsked((signal) => api.jobs(signal), []);
  const [refused, setRefused] = useState<ApiError | undefined>();
  const jobs = answer ?? [];
  const any = jobs.some(isOpen);
  useEffect(() => {
    if (!any) return undefined;
    const timer = setTimeout(again, pollMilliseconds);
    return () => clearTimeout(timer);
  }, [answer, any]);
  const then = (asking: Promise<Job>) =>
    asking.then(
      () => {
        setRefused(undefined);
        again();
      },
      (failure: unknown) => setRefused(asApiError(failure)),
    );
  return {
    ready: answer !== undefined,
    error,
    refused,
    again,
    /** Of another kind, and under way. */
    other: jobs.find((job) => job.state === 'running' && job.kind !== kind),
    ...jobsOf(jobs, kind),
    submit: (asking: Promise<Job>) => void then(asking),
    cancel: (job: Job) => void then(api.cancel(job.id)),
  };
}

export type JobsOfKind = ReturnType<typeof useJobs>;
