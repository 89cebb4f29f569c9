import { describe, expect, it } from 'vitest';
import { commonScale, heatMap, movement, restOf, segments, zeroOf } from '../src/lib/attribution';

describe('attribution bars', () => {
  it('are as long as their scores, on one scale', () => {
    const rows = [
      [2, 1, 1],
      [1, 0, 1],
    ];
    const scale = commonScale(rows);
    const length = (row: number[]) => segments(row, scale).reduce((s, p) => s + p.width, 0);
    expect(length(rows[0]!)).toBeCloseTo(1);
    expect(length(rows[1]!)).toBeCloseTo(0.5);
  });

  it('grow to the left of zero for what takes away', () => {
    const row = [3, -1];
    const scale = commonScale([row]);
    expect(zeroOf(scale)).toBeCloseTo(0.25);
    const [plus, minus] = segments(row, scale);
    expect(plus).toMatchObject({ criterion: 0, from: 0.25, width: 0.75 });
    expect(minus).toMatchObject({ criterion: 1, from: 0, width: 0.25 });
  });

  it('stay inside the bar without gaps or overlaps', () => {
    const row = [0.3, 0, 0.2, -0.1, 0.4, -0.2];
    const parts = segments(row, commonScale([row, [2, -1, 0, 0, 0, 0]])).sort(
      (a, b) => a.from - b.from,
    );
    parts.slice(1).forEach((part, i) => {
      expect(part.from).toBeCloseTo(parts[i]!.from + parts[i]!.width);
    });
    expect(parts[0]!.from).toBeGreaterThanOrEqual(0);
  });

  it('have nothing to show where nothing adds', () => {
    expect(segments([0, 0], commonScale([[0, 0]]))).toEqual([]);
  });
});

describe('the heat map', () => {
  const part = (item: string, criterion: string, value: number) => ({
    item,
    title: item,
    criterion,
    rating: 4,
    value,
  });
  const parts = [
    part('a', 'overall', 1),
    part('b', 'taste', 3),
    part('a', 'taste', -0.5),
    part('c', 'overall', 0.25),
  ];
  const heat = heatMap(['overall', 'taste'], parts, 0.125);

  it('adds up over rows, over columns, and to the score', () => {
    const rows = heat.rows.reduce((s, row) => s + row.sum, 0);
    const columns = heat.columns.reduce((s, v) => s + v, 0);
    expect(rows).toBeCloseTo(3.75);
    expect(columns).toBeCloseTo(3.75);
    expect(heat.total).toBeCloseTo(3.875);
  });

  it('tells what was not rated from what adds nothing', () => {
    const row = heat.rows.find((r) => r.item === 'b')!;
    expect(row.cells[0]).toBeNull();
    expect(row.cells[1]).toEqual({ rating: 4, value: 3 });
  });

  it('puts the largest rows first, and the others together without loss', () => {
    expect(heat.rows.map((r) => r.item)).toEqual(['b', 'a', 'c']);
    const rest = restOf(heat, 1);
    expect(rest.count).toBe(2);
    expect(rest.sum + heat.rows[0]!.sum).toBeCloseTo(3.75);
    expect(rest.columns[0]! + rest.columns[1]!).toBeCloseTo(rest.sum);
  });
});

describe('movement', () => {
  it('counts places won and lost, and names newcomers', () => {
    const moved = movement(['a', 'b', 'c'], ['c', 'a', 'd']);
    expect([...moved]).toEqual([
      ['c', 2],
      ['a', -1],
      ['d', 'new'],
    ]);
  });
});
