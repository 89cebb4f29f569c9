// Methods as the tool writes them: 'adaptive', 'ca-gf:preset=ym', 'ease:lambda=200'.
import type { Method, MethodList } from '../api';

export type SettingsWay = 'automatic' | 'preset' | 'hand';
export type Setting = Method['settings'][number];

/** What a person can set with a field of its own. */
export const settable = (method: Method): Setting[] =>
  method.settings.filter(({ kind, computing }) => !computing && kind !== 'filters');

const canFix = (method: Method): boolean =>
  method.asks.some(({ name, choices = [] }) => name === 'settings' && choices.includes('fixed'));

export function waysOf(method: Method, presets: readonly string[]): SettingsWay[] {
  const ways: SettingsWay[] = [];
  if (method.automatic) ways.push('automatic');
  if (presets.length > 0 && method.asks.some(({ name }) => name === 'preset')) ways.push('preset');
  // A method that chooses takes settings by hand only if it can be told to leave the rest alone.
  if (!method.automatic || canFix(method)) ways.push('hand');
  return ways;
}

export function methodText(
  method: Method,
  way: SettingsWay,
  preset: string,
  byHand: Readonly<Record<string, string>>,
): string {
  if (way === 'automatic') return method.name;
  if (way === 'preset') return `${method.name}:preset=${preset}`;
  const words = settable(method)
    .filter(({ name, default: usual }) => (byHand[name] ?? '') !== '' && byHand[name] !== usual)
    .map(({ name }) => `${name}=${byHand[name]}`);
  // A filter has a colon of its own, so it comes last.
  words.sort((a, b) => Number(a.startsWith('filter')) - Number(b.startsWith('filter')));
  return [method.name, ...(canFix(method) ? ['settings=fixed'] : []), ...words].join(':');
}

/** What may be put beside each other: each method as it comes, presets, and what is served. */
export function comparable({ methods, presets, served }: MethodList): string[] {
  const names = methods.filter(({ can }) => can.serve_newcomers).map(({ name }) => name);
  const order = ['popularity', 'item-knn', 'ease', 'adaptive'];
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  names.sort((a, b) => rank(a) - rank(b));
  const all = [...names, ...presets.map((name) => `ca-gf:preset=${name}`), served];
  return all.filter((name, i) => all.indexOf(name) === i);
}
