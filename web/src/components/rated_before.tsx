import { useState } from 'preact/hooks';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import * as format from '../lib/format';
import { href } from '../lib/router';

/** What a person rated, asked for when it is opened. */
export function RatedBefore({ user }: { user: string }) {
  const { api } = useApp();
  const [open, setOpen] = useState(false);
  const known = useAsked((signal) => api.user(user, signal), [user]);
  const { answer, error } = useAsked(open ? (signal) => api.ratings(user, signal) : undefined, [
    user,
    open,
  ]);
  if (!known.answer) return null;
  return (
    <details class="card rated-before" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{format.plural(known.answer.ratings ?? 0, 'rating')} to go by</summary>
      {error && <p class="small">{error.title}.</p>}
      <ul class="small">
        {answer?.map(({ item, title, values }) => (
          <li key={item} class="row-between">
            <a class="plain breakable" href={href('items', { id: item })}>
              {title || item}
            </a>
            <span class="number muted" title={Object.keys(values).join(', ')}>
              {Object.values(values).map(format.rating).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
