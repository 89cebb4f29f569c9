// The address after '#': '#/why?user=ann&item=b7&w.taste=2'. It holds all that a page shows, so a
// link or the back button brings it back.
import { useEffect, useState } from 'preact/hooks';

export const pages = [
  'recommend',
  'why',
  'people',
  'items',
  'data',
  'upload',
  'model',
  'quality',
  'dials',
  'service',
  'admin',
  'docs',
] as const;
export type Page = (typeof pages)[number];

export interface Route {
  page: Page;
  params: URLSearchParams;
}

/** `path` names the one page that has an address of its own, for whoever types it. */
export function parse(hash: string, path = '/'): Route {
  const text = hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const name = mark < 0 ? text : text.slice(0, mark);
  const page = (pages as readonly string[]).includes(name)
    ? (name as Page)
    : path === '/docs'
      ? 'docs'
      : 'recommend';
  return { page, params: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)) };
}

export type Params = Record<string, string | undefined> | URLSearchParams;

export function href(page: Page, params: Params = {}): string {
  const search = new URLSearchParams();
  const entries = params instanceof URLSearchParams ? [...params] : Object.entries(params);
  for (const [name, value] of entries)
    if (value !== undefined && value !== '') search.set(name, value);
  const query = search.toString();
  return `#/${page}${query ? `?${query}` : ''}`;
}

/** Criterion weights other than 1 travel as 'w.NAME'. */
export function weightsOf(params: URLSearchParams): Record<string, number> {
  const weights: Record<string, number> = {};
  for (const [name, text] of params) {
    const value = Number(text);
    if (name.startsWith('w.') && text !== '' && Number.isFinite(value) && value >= 0)
      weights[name.slice(2)] = value;
  }
  return weights;
}

export function weightParams(weights: Record<string, number>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(weights))
    if (value !== 1) params[`w.${name}`] = String(value);
  return params;
}

/** Attributes that items are filtered by travel as 'f.NAME'. */
export function filterOf(params: URLSearchParams): Record<string, string> {
  const given = [...params].filter(([name]) => name.startsWith('f.'));
  return Object.fromEntries(given.map(([name, value]) => [name.slice(2), value]));
}

export function filterParams(filter: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [`f.${name}`, value]));
}

export function go(page: Page, params: Params = {}): void {
  location.hash = href(page, params);
}

/** Changes the address without a step of its own in the history: for sliders and typing. */
export function replace(page: Page, params: Params = {}): void {
  history.replaceState(null, '', href(page, params));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash, location.pathname));
  useEffect(() => {
    const changed = () => setRoute(parse(location.hash, location.pathname));
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  return route;
}
