import type { User } from '../api';
import { FilterField, ShowMore } from '../components/more';
import { PageHead } from '../components/layout';
import { Failed, Loading, NoRatings } from '../components/states';
import { useApp } from '../context';
import * as format from '../lib/format';
import { usePaged } from '../lib/paged';
import { href, replace } from '../lib/router';

const pageLength = 50;

export function PeoplePage({ params }: { params: URLSearchParams }) {
  const { api, criteria } = useApp();
  const q = params.get('q') ?? '';
  const { rows, error, pending, hasMore, more, again } = usePaged(
    (after, signal) =>
      api.users(q, pageLength, after, signal).then(({ users, next }) => ({ rows: users, next })),
    [q],
  );
  if (criteria.length === 0) return <NoRatings />;
  return (
    <>
      <PageHead title="People">Everyone in the data, by id. A name leads to their list.</PageHead>
      <section class="card stack people" aria-label="People">
        <FilterField
          label="Search by id"
          value={q}
          changed={(text) => replace('people', { q: text })}
        />
        {error && <Failed error={error} again={again} />}
        {!rows && pending && <Loading what="people" />}
        {rows?.length === 0 && (
          <p class="muted" role="status">
            {q ? `No id holds “${q}”. ` : 'There is nobody yet. '}
            <a href={href('recommend', { new: '1' })}>Be a newcomer</a> instead.
          </p>
        )}
        {rows && rows.length > 0 && <PeopleTable rows={rows} />}
        {hasMore && <ShowMore pending={pending} more={more} />}
      </section>
    </>
  );
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function PeopleTable({ rows }: { rows: readonly User[] }) {
  const described = rows.some(({ attributes }) => Object.keys(attributes).length > 0);
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label="People and their ratings">
      <table class="item-table">
        <thead>
          <tr>
            <th scope="col">Person</th>
            <th scope="col" class="num">
              Ratings
            </th>
            {described && <th scope="col">Attributes</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, ratings, attributes }) => (
            <tr key={id}>
              <td class="breakable">
                <a href={href('recommend', { user: id })}>{id}</a>
              </td>
              <td class="num">{ratings === undefined ? '–' : format.count(ratings)}</td>
              {described && (
                <td class="breakable muted">
                  {Object.entries(attributes)
                    .map(([name, value]) => `${name}: ${textOf(value)}`)
                    .join(', ')}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
