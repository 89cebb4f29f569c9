import { ItemDetail } from '../components/item_detail';
import { ItemFilters, ItemTable } from '../components/item_table';
import { PageHead } from '../components/layout';
import { FilterField, ShowMore } from '../components/more';
import { Failed, Loading, NoRatings } from '../components/states';
import { useApp } from '../context';
import { usePaged } from '../lib/paged';
import { filterOf, filterParams, replace } from '../lib/router';

const pageLength = 25;

export function ItemsPage({ params }: { params: URLSearchParams }) {
  const { api, criteria } = useApp();
  const q = params.get('q') ?? '';
  const id = params.get('id') ?? undefined;
  const sort = params.get('sort') ?? undefined;
  const filter = filterOf(params);
  const { rows, error, pending, hasMore, more, again } = usePaged(
    (after, signal) =>
      api
        .items({ q, sort, filter, after, limit: pageLength }, signal)
        .then(({ items, next }) => ({ rows: items, next })),
    [q, sort, JSON.stringify(filter)],
  );
  const kept = { q, sort, ...filterParams(filter) };
  const change = (next: Record<string, string | undefined>) =>
    replace('items', { ...kept, id, ...next });
  const narrowed = q !== '' || Object.keys(filter).length > 0;
  if (criteria.length === 0) return <NoRatings />;
  return (
    <>
      <PageHead title="Items">
        Averages by criterion, and what is rated alike. The head of a column sorts by it.
      </PageHead>
      <div class={id === undefined ? 'stack' : 'split items-split'}>
        <section class="card stack" aria-label="Search">
          <div class="picker">
            <FilterField
              label="Search by title or id"
              value={q}
              changed={(text) => change({ q: text })}
            />
            <ItemFilters
              filter={filter}
              changed={(name, value) => change({ [`f.${name}`]: value })}
            />
          </div>
          {error && <Failed error={error} again={again} />}
          {!rows && pending && <Loading what="items" />}
          {rows?.length === 0 && (
            <div class="state" role="status">
              <p>{nothing(q, narrowed)}</p>
              {narrowed && (
                <button class="button" type="button" onClick={() => replace('items', { sort })}>
                  Show all items
                </button>
              )}
            </div>
          )}
          {rows && rows.length > 0 && (
            <ItemTable
              items={rows}
              chosen={id}
              sort={sort}
              sorted={(next) => change({ sort: next })}
              params={kept}
            />
          )}
          {hasMore && <ShowMore pending={pending} more={more} />}
        </section>
        {id !== undefined && <ItemDetail id={id} key={id} />}
      </div>
    </>
  );
}

function nothing(q: string, narrowed: boolean): string {
  if (!narrowed) return 'There are no items yet. They become known with their first rating.';
  return q ? `No item holds “${q}”. Try a shorter text.` : 'No item is like this.';
}
