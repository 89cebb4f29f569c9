// What dials do, by criterion, from the least weight to the most.
import type { DialsResult } from '../api';

export type Effect = DialsResult['effects'][number];

export function byCriterion({
  effects,
}: Pick<DialsResult, 'effects'>): { criterion: string; effects: Effect[] }[] {
  const all = new Map<string, Effect[]>();
  for (const one of effects) all.set(one.criterion, [...(all.get(one.criterion) ?? []), one]);
  return [...all].map(([criterion, own]) => ({
    criterion,
    effects: own.sort((a, b) => a.weight - b.weight),
  }));
}

/** With a sign that is a minus, not a hyphen; nothing stands before what rounds to zero. */
export function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** A slider reaches from an eighth to eight times. */
export const mostDoublings = 3;

/** Where the slider of a weight stands: 0 at 1, and as far to the left for a half as to the right
 * for two. */
export const doublingsOf = (weight: number): number =>
  weight > 0
    ? Math.min(mostDoublings, Math.max(-mostDoublings, Math.log2(weight)))
    : -mostDoublings;

/** Two digits, as it is shown and asked for. */
export const weightOf = (doublings: number): number => Number((2 ** doublings).toPrecision(2));
