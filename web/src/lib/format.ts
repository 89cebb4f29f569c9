// Numbers and times as people read them. The language of the browser decides on separators.

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export const count = (n: number): string => whole.format(n);
export const short = (n: number): string =>
  Math.abs(n) < 10000 ? whole.format(n) : compact.format(n);

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

export function percent(share: number, digits = 0): string {
  if (share > 0 && share < 0.5 * 10 ** -(digits + 2)) return `< ${10 ** -digits} %`;
  return `${(share * 100).toFixed(digits)} %`;
}

/** A rating or a mean: at most two digits after the point. */
export const rating = (value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? '–'
    : String(Math.round(value * 100) / 100);

export const mean = (value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value) ? '–' : value.toFixed(2);

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

export const superscript = (n: number): string =>
  (n < 0 ? '⁻' : '') + [...String(Math.abs(n))].map((d) => superscripts[Number(d)]).join('');

export interface Scores {
  text(value: number): string;
  /** What the texts are to be multiplied by, such as '× 10⁶'; empty if nothing. */
  unit: string;
}

/**
 * Scores have no unit, and may be of any size. Those beside each other are shown alike: with four
 * significant digits of the largest, and a common power of ten if that is far from 1.
 */
export function scores(largest: number): Scores {
  const size = Math.abs(largest);
  const exponent = size > 0 && Number.isFinite(size) ? Math.floor(Math.log10(size)) : 0;
  const common = exponent >= -4 && exponent < 5 ? 0 : 3 * Math.floor(exponent / 3);
  const digits = Math.max(0, 3 - (exponent - common));
  return {
    unit: common === 0 ? '' : `× 10${superscript(common)}`,
    text(value) {
      const text = (value / 10 ** common).toFixed(digits);
      return (/^-0(\.0*)?$/.test(text) ? text.slice(1) : text).replace('-', '−');
    },
  };
}

export function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (n >= 1000 && unit < units.length - 1) {
    n /= 1000;
    unit += 1;
  }
  return `${unit === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[unit]}`;
}

export function seconds(s: number): string {
  if (s < 0.001) return `${Math.round(s * 1e6)} µs`;
  if (s < 1) return `${(s * 1000).toFixed(s < 0.01 ? 2 : 0)} ms`;
  if (s < 100) return `${s < 10 ? s.toFixed(1) : Math.round(s)} s`;
  if (s < 6000) return `${Math.round(s / 60)} min`;
  if (s < 48 * 3600) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86400)} days`;
}

/** A point in time, from Unix seconds. */
export const moment = (unix: number): string =>
  new Date(unix * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
