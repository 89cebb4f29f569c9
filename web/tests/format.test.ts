import { describe, expect, it } from 'vitest';
import { formula } from '../src/lib/filter';
import { bytes, percent, rating, scores, seconds } from '../src/lib/format';
import { gainOf, reachOf } from '../src/lib/gains';
import { shareOfTop } from '../src/lib/tail';

describe('scores', () => {
  it('show four significant digits of the largest', () => {
    expect(scores(0.0123456).text(0.0123456)).toBe('0.01235');
    expect(scores(12.3456).text(12.3456)).toBe('12.35');
    expect(scores(12.3456).text(0.001)).toBe('0.00');
    expect(scores(12345.6)).toMatchObject({ unit: '' });
    expect(scores(12345.6).text(12345.6)).toBe('12346');
  });

  it('share a power of ten if they are far from 1', () => {
    const large = scores(15_992_527);
    expect([large.text(15_992_527), large.text(300), large.unit]).toEqual([
      '15.99',
      '0.00',
      '× 10⁶',
    ]);
    const small = scores(4.5e-8);
    expect([small.text(4.5e-8), small.unit]).toEqual(['45.00', '× 10⁻⁹']);
  });

  it('have a real minus, and none before zero', () => {
    expect(scores(12.5).text(-0.5)).toBe('−0.50');
    expect(scores(12.5).text(-0.0001)).toBe('0.00');
  });

  it('may all be zero', () => {
    expect(scores(0)).toMatchObject({ unit: '' });
    expect(scores(0).text(0)).toBe('0.000');
  });
});

describe('numbers for people', () => {
  it('have units that fit', () => {
    expect(bytes(999)).toBe('999 B');
    expect(bytes(61_000_000)).toBe('61.0 MB');
    expect(seconds(0.0004)).toBe('400 µs');
    expect(seconds(3720)).toBe('62 min');
    expect(seconds(200_000)).toBe('2 days');
  });

  it('say that a small share is not nothing', () => {
    expect(percent(0)).toBe('0 %');
    expect(percent(0.00001)).toBe('< 1 %');
    expect(percent(0.1234, 1)).toBe('12.3 %');
  });

  it('show what is absent as a dash', () => {
    expect(rating(null)).toBe('–');
    expect(rating(Number.NaN)).toBe('–');
    expect(rating(3.456)).toBe('3.46');
  });
});

describe('filters', () => {
  it('read as in the method', () => {
    expect(formula([1])).toBe('P');
    expect(formula([0, 1])).toBe('P²');
    expect(formula([2, -1])).toBe('2 P − P²');
    expect(formula([0.71, 0.1, -0.01])).toBe('0.71 P + 0.1 P² − 0.01 P³');
    expect(formula([-1])).toBe('−P');
    expect(formula([])).toBe('0');
  });
});

describe('the long tail', () => {
  it('is read between its points', () => {
    const points = [
      [0.1, 0.4],
      [0.5, 0.8],
      [1, 1],
    ] as const;
    expect(shareOfTop(points, 0.1)).toBeCloseTo(0.4);
    expect(shareOfTop(points, 0.3)).toBeCloseTo(0.6);
    expect(shareOfTop(points, 0.05)).toBeCloseTo(0.2);
    expect(shareOfTop([], 0.2)).toBe(0);
  });
});

describe('gains', () => {
  const step = { tried: 'lambda 3', value: 0.12, gain: 0.02, error: 0.005, taken: true };

  it('are percent of what they are measured against, with one standard error', () => {
    expect(gainOf(step, 0.1, 1)).toMatchObject({ name: 'lambda 3', text: '+20.0 % ± 5.0' });
    expect(gainOf({ ...step, error: 0 }, 0.1, -1).text).toBe('−20.0 %');
    expect(gainOf(step, 0, 1).text).toBe('–');
  });

  it('share one zero and one length', () => {
    const { low, share } = reachOf([gainOf(step, 0.1, 1), gainOf(step, 0.2, -1)]);
    expect(low).toBeCloseTo(-12.5);
    expect(share(25 - low)).toBeCloseTo(100);
    expect(reachOf([]).share(1)).toBe(0);
  });
});
