import { useEffect, useState } from 'preact/hooks';
import type { Item } from '../api';
import { Swatch } from '../components/attribution';
import { ItemDetail, ItemHeads } from '../components/item_detail';
import { PageHead } from '../components/layout';
import { Empty, Failed, Loading, NoRatings } from '../components/states';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import * as format from '../lib/format';
import { href, replace } from '../lib/router';

const pageLength = 25;

/** All pages up to now; a new search begins anew. */
function useItems(q: string) {
  const { api } = useApp();
  const [after, setAfter] = useState<string | undefined>();
  const [earlier, setEarlier] = useState<Item[]>([]);
  useEffect(() => {
    setAfter(undefined);
    setEarlier([]);
  }, [q]);
  const asked = useAsked((signal) => api.items(q, pageLength, after, signal), [q, after]);
  const items = asked.answer
    ? [...earlier, ...asked.answer.items.filter((i) => !earlier.includes(i))]
    : undefined;
  const next = asked.answer?.next ?? undefined;
  const more = () => {
    if (items) setEarlier(items);
    setAfter(next);
  };
  return { ...asked, items, next, more };
}

export function ItemsPage({ params }: { params: URLSearchParams }) {
  const { criteria } = useApp();
  const q = params.get('q') ?? '';
  const id = params.get('id') ?? undefined;
  const { items, error, pending, again, next, more } = useItems(q);
  // Beside an item's details there is room for the overall average alone.
  const columns = criteria.slice(0, id === undefined ? 9 : 1).map(({ name }) => name);
  if (criteria.length === 0) return <NoRatings />;
  return (
    <>
      <PageHead title="Items">Averages by criterion, and what is rated alike.</PageHead>
      <div class={id === undefined ? 'stack' : 'split items-split'}>
        <section class="card stack" aria-label="Search">
          <label class="field">
            <span>Search by title or id</span>
            <input
              type="search"
              value={q}
              onInput={(event) => replace('items', { q: event.currentTarget.value, id })}
            />
          </label>
          {error && <Failed error={error} again={again} />}
          {!items && pending && <Loading what="items" />}
          {items?.length === 0 && (
            <p class="muted" role="status">
              {q ? `No item holds “${q}”. Try a shorter text.` : 'There are no items yet.'}
            </p>
          )}
          {items && items.length > 0 && (
            <table class="item-table">
              <thead>
                <tr>
                  <ItemHeads />
                  {columns.map((name, c) => (
                    <th key={name} scope="col" class={c > 0 ? 'num wide-only' : 'num'}>
                      <span class="heat-head">
                        <Swatch criterion={c} />
                        {name}
                      </span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {items.map((item) => (
                  <tr key={item.id} class={item.id === id ? 'chosen' : undefined}>
                    <td class="breakable">
                      <a
                        href={href('items', { q, id: item.id })}
                        aria-current={item.id === id ? 'true' : undefined}
                      >
                        {item.title || item.id}
                      </a>
                    </td>
                    <td class="num">{format.count(item.raters)}</td>
                    {columns.map((name, c) => (
                      <td key={name} class={c > 0 ? 'num wide-only' : 'num'}>
                        {format.mean(item.means[name])}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {next !== undefined && (
            <button class="button" type="button" onClick={more} disabled={pending}>
              Show more
            </button>
          )}
        </section>
        {id !== undefined && <ItemDetail id={id} key={id} />}
      </div>
      {items?.length === 0 && !q && (
        <Empty title="The catalogue is empty">
          <p>Items become known with their first rating.</p>
        </Empty>
      )}
    </>
  );
}
