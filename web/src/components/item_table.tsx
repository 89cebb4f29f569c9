import type { ComponentChildren } from 'preact';
import type { Item } from '../api';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import * as format from '../lib/format';
import { href } from '../lib/router';
import { nextSort, sortState } from '../lib/sorting';
import { Swatch } from './attribution';
import { Picture } from './picture';

interface Props {
  items: readonly Item[];
  chosen: string | undefined;
  sort: string | undefined;
  sorted(sort: string | undefined): void;
  /** What the links to items keep. */
  params: Record<string, string | undefined>;
}

export function ItemTable({ items, chosen, sort, sorted, params }: Props) {
  const { criteria } = useApp();
  // Beside an item's details there is room for the overall average alone.
  const columns = criteria.slice(0, chosen === undefined ? 9 : 1).map(({ name }) => name);
  const head = { sort, sorted };
  return (
    <table class="item-table">
      <thead>
        <tr>
          <Head by="title" {...head}>
            Item
          </Head>
          <Head by="raters" kind="num" {...head}>
            People
          </Head>
          {columns.map((name, c) => (
            <Head key={name} by={`mean:${name}`} kind={c > 0 ? 'num wide-only' : 'num'} {...head}>
              <Swatch criterion={c} />
              {name}
            </Head>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id} class={item.id === chosen ? 'chosen' : undefined}>
            <td class="breakable">
              <span class="pictured">
                <Picture item={item} size="small" />
                <a
                  href={href('items', { ...params, id: item.id })}
                  aria-current={item.id === chosen ? 'true' : undefined}
                >
                  {item.title || item.id}
                </a>
              </span>
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
  );
}

interface HeadProps {
  by: string;
  kind?: string;
  sort: string | undefined;
  sorted(sort: string | undefined): void;
  children: ComponentChildren;
}

function Head({ by, kind, sort, sorted, children }: HeadProps) {
  const state = sortState(sort, by);
  return (
    <th scope="col" class={kind} aria-sort={state}>
      <button class="sorter" type="button" onClick={() => sorted(nextSort(sort, by))}>
        {children}
        {state && (
          <span class="sort-mark" aria-hidden="true">
            {state === 'ascending' ? '▲' : '▼'}
          </span>
        )}
      </button>
    </th>
  );
}

const mostFilters = 6;
const mostChoices = 100;

interface FiltersProps {
  /** In a box of its own, which is not there without anything to choose. */
  card?: boolean;
  filter: Record<string, string>;
  changed(name: string, value: string | undefined): void;
}

/** A choice for each attribute that has few enough values to choose from. */
export function ItemFilters({ card = false, filter, changed }: FiltersProps) {
  const { api } = useApp();
  const { answer } = useAsked((signal) => api.attributes(signal), []);
  const shown = (answer ?? []).filter(
    ({ name, items, distinct }) =>
      filter[name] !== undefined ||
      (name !== 'image' && distinct <= mostChoices && (distinct < items || items === 1)),
  );
  if (shown.length === 0) return null;
  const fields = (
    <>
      {shown.slice(0, mostFilters).map(({ name, values }) => (
        <label key={name} class="field">
          <span class="breakable">{name}</span>
          <select
            value={filter[name] ?? ''}
            onChange={(event) => changed(name, event.currentTarget.value || undefined)}
          >
            <option value="">any</option>
            {values
              .filter(({ value }) => value !== '')
              .map(({ value, items }) => (
                <option key={value} value={value}>
                  {value} ({format.count(items)})
                </option>
              ))}
          </select>
        </label>
      ))}
    </>
  );
  if (!card) return fields;
  return (
    <section class="card stack filters" aria-labelledby="filters-title">
      <h2 id="filters-title">Only items with</h2>
      {fields}
    </section>
  );
}
