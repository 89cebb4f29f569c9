import { describe, expect, it } from 'vitest';
import { formula } from '../src/lib/filter';
import { bytes, percent, rating, score, scoreDigits, seconds } from '../src/lib/format';
import { shareOfTop } from '../src/lib/tail';

describe('scores', () => {
  it('show four significant digits of the largest', () => {
    expect(score(0.0123456, scoreDigits(0.0123456))).toBe('0.01235');
    expect(score(12.3456, scoreDigits(12.3456))).toBe('12.35');
    expect(score(0.001, scoreDigits(12.3456))).toBe('0.00');
    expect(score(123456, scoreDigits(123456))).toBe('123456');
  });

  it('have a real minus, and none before zero', () => {
    expect(score(-0.5, 2)).toBe('−0.50');
    expect(score(-0.0001, 2)).toBe('0.00');
  });

  it('may all be zero', () => {
    expect(score(0, scoreDigits(0))).toBe('0.000');
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
