// What scores mean to a person, where the server knows: a match from 0 to 100 and predicted ratings.
import type { Meaning } from '../api';

export const hasMeaning = (items: readonly Meaning[]): boolean =>
  items.some(({ match, predicted }) => match != null || predicted != null);

/** "97"; close to the ends, where whole numbers would say too much, one digit more. */
export const matchText = (match: number): string =>
  match >= 99 && match < 100 ? (Math.floor(match * 10) / 10).toFixed(1) : String(Math.round(match));

/** Of a score, in whole percent; what is too small for that is said to be. */
export function shareText(value: number, whole: number): string {
  if (!(Math.abs(whole) > 0)) return '0 %';
  const percent = (100 * value) / whole;
  if (percent !== 0 && Math.abs(percent) < 1) return `${percent < 0 ? '−' : ''}< 1 %`;
  return `${percent < 0 ? '−' : ''}${Math.round(Math.abs(percent))} %`;
}
