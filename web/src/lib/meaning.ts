// What scores mean to a person, where the server knows: a match from 0 to 100 and predicted ratings.
import type { Meaning } from '../api';

export const hasMeaning = (items: readonly Meaning[]): boolean =>
  items.some(({ match, predicted }) => match != null || predicted != null);

/** "97.3", never rounded up: 100 is above all others. */
export const matchText = (match: number): string =>
  match >= 100 ? '100' : (Math.floor(match * 10) / 10).toFixed(1);

/** Of a score, in percent, with a digit more for what is small. */
export function shareText(value: number, whole: number): string {
  if (!(Math.abs(whole) > 0)) return '0 %';
  const percent = (100 * value) / whole;
  const size = Math.abs(percent);
  const text = size < 9.95 ? size.toFixed(1) : String(Math.round(size));
  if (Number(text) === 0) return '0 %';
  return `${percent < 0 ? '−' : ''}${text} %`;
}
