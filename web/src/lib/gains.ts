// Gains of a choice in percent, laid out for the eye.
import type { ChoiceStep } from '../api';

export interface Gain {
  name: string;
  percent: number;
  /** One standard error in percent; 0: not known. */
  error: number;
  text: string;
}

/** `of`: what the gain is a share of; `sign` -1 where it is one of what was taken away. */
export function gainOf(step: ChoiceStep, of: number, sign: 1 | -1): Gain {
  const share = of > 0 ? 100 / of : 0;
  const percent = sign * step.gain * share;
  const error = step.error * share;
  const sure = error > 0 ? ` ± ${error.toFixed(1)}` : '';
  const text = of > 0 ? `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %${sure}` : '–';
  return { name: step.tried, percent, error, text };
}

/** Where bars with their errors begin, and a length as a share of the whole in percent. */
export function reachOf(rows: readonly Gain[]): { low: number; share(length: number): number } {
  const low = Math.min(0, ...rows.map(({ percent, error }) => percent - error));
  const high = Math.max(0, ...rows.map(({ percent, error }) => percent + error));
  return { low, share: (length) => (high > low ? (100 * length) / (high - low) : 0) };
}
