import type { ApiError } from '../api';
import { href, type Page, type Params } from '../lib/router';
import { Failed } from './states';

interface Props {
  error: ApiError;
  again(): void;
  user: string | undefined;
  /** Where the links lead, and what they keep besides the person. */
  page: Page;
  params: Record<string, string>;
}

/** An error; of an id that nobody has, what to do instead. */
export function FailedFor({ error, again, user, page, params }: Props) {
  if (error.status !== 404 || error.field !== 'user') return <Failed error={error} again={again} />;
  const to = (more: Params) => href(page, { ...params, ...more });
  return (
    <div class="card state" role="alert">
      <h2 class="breakable">Nobody here has the id “{user}”</h2>
      {error.suggestions.length > 0 ? (
        <>
          <p>Did you mean one of these?</p>
          <ul class="chips" aria-label="Near matches">
            {error.suggestions.map((id) => (
              <li key={id}>
                <a class="chip breakable" href={to({ user: id })}>
                  {id}
                </a>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>No id in the data is like it.</p>
      )}
      <p>Someone new can rate a few items and gets a list at once.</p>
      <div class="row-end">
        <a class="button" href={href('people')}>
          Browse people
        </a>
        <a class="button primary" href={href('recommend', { ...params, new: '1' })}>
          Be a newcomer
        </a>
      </div>
    </div>
  );
}
