// What was done to the service, in words.
import type { Activity, Job } from '../api';
import * as format from './format';

export function jobText({ kind, asked }: Pick<Job, 'kind' | 'asked'>): string {
  switch (kind) {
    case 'fit':
      return `Fit of ${asked.method ?? 'the same method'}`;
    case 'comparison':
      return `Comparison of ${(asked.methods ?? []).join(', ')}`;
    case 'dials':
      return `Dials of ${asked.method ?? 'what is served'}`;
  }
}

export function eventText({ event, detail }: Pick<Activity, 'event' | 'detail'>): string {
  const about = detail;
  const text = (name: string) => String(about[name] ?? '');
  if (event === 'import')
    return `${text('file')} imported: ${format.plural(Number(about['new_ratings'] ?? 0), 'new rating')}`;
  if (event === 'key added') return `Key ${text('name')} made, role ${text('role')}`;
  if (event === 'key rotated') return `Key ${text('name')} got a new secret`;
  if (event === 'restore')
    return `${text('file')} restored: ${format.plural(Number(about['ratings'] ?? 0), 'rating')}`;
  if (event === 'key removed') return `Key ${text('name')} removed`;
  if (event.startsWith('job ')) {
    const error = about['error'] as { detail?: string } | null | undefined;
    const what = jobText(about as unknown as Job);
    return `${what}: ${event.slice(4)}${error?.detail ? ` (${error.detail})` : ''}`;
  }
  return event;
}
