// What a score is made of, laid out for the eye. Parts may be negative (a filter may take away), so
// a bar grows to both sides of zero.

export interface Segment {
  criterion: number;
  value: number;
  /** Left edge and width as shares of the whole bar, 0 to 1. */
  from: number;
  width: number;
}

export interface Scale {
  /** The sums that the two ends of a bar stand for: low <= 0 <= high. */
  low: number;
  high: number;
}

const positive = (values: readonly number[]) => values.reduce((s, v) => (v > 0 ? s + v : s), 0);
const negative = (values: readonly number[]) => values.reduce((s, v) => (v < 0 ? s + v : s), 0);

/** One scale for all bars of a list, so that lengths can be compared. */
export function commonScale(rows: readonly (readonly number[])[]): Scale {
  let low = 0;
  let high = 0;
  for (const row of rows) {
    low = Math.min(low, negative(row));
    high = Math.max(high, positive(row));
  }
  return { low, high };
}

/** Zero as a share of the bar. */
export const zeroOf = ({ low, high }: Scale): number => (high > low ? -low / (high - low) : 0);

export function segments(values: readonly number[], scale: Scale): Segment[] {
  const span = scale.high - scale.low;
  if (!(span > 0)) return [];
  const result: Segment[] = [];
  let right = zeroOf(scale);
  let left = right;
  values.forEach((value, criterion) => {
    const width = Math.abs(value) / span;
    if (value > 0) {
      result.push({ criterion, value, from: right, width });
      right += width;
    } else if (value < 0) {
      left -= width;
      result.push({ criterion, value, from: left, width });
    }
  });
  return result;
}

export interface Part {
  item: string;
  title: string;
  criterion: string;
  rating: number;
  value: number;
}

export interface HeatRow {
  item: string;
  title: string;
  /** Per criterion; null where the person did not rate. */
  cells: ({ rating: number; value: number } | null)[];
  sum: number;
}

export interface HeatDial {
  criterion: number;
  weight: number;
  value: number;
  why: string;
}

export interface Heat {
  criteria: string[];
  rows: HeatRow[];
  /** What each dial that is not at 1 adds or takes. */
  dials: HeatDial[];
  columns: number[];
  total: number;
  /** The largest absolute value of a cell; 0 if there is none. */
  largest: number;
}

/** Parts as a matrix of rated item by criterion, largest rows first. */
export function heatMap(
  criteria: readonly string[],
  parts: readonly Part[],
  baseline = 0,
  dials: readonly (Omit<HeatDial, 'criterion'> & { criterion: string })[] = [],
): Heat {
  const rows = new Map<string, HeatRow>();
  const columns = criteria.map(() => 0);
  let largest = 0;
  for (const part of parts) {
    const c = criteria.indexOf(part.criterion);
    if (c < 0) continue;
    let row = rows.get(part.item);
    if (!row) {
      row = { item: part.item, title: part.title, cells: criteria.map(() => null), sum: 0 };
      rows.set(part.item, row);
    }
    row.cells[c] = { rating: part.rating, value: part.value };
    row.sum += part.value;
    columns[c]! += part.value;
    largest = Math.max(largest, Math.abs(part.value));
  }
  const sorted = [...rows.values()].sort((a, b) => Math.abs(b.sum) - Math.abs(a.sum));
  const turned = dials
    .map((dial) => ({ ...dial, criterion: criteria.indexOf(dial.criterion) }))
    .filter(({ criterion }) => criterion >= 0);
  for (const { criterion, value } of turned) {
    columns[criterion]! += value;
    largest = Math.max(largest, Math.abs(value));
  }
  const total = baseline + columns.reduce((s, v) => s + v, 0);
  return { criteria: [...criteria], rows: sorted, dials: turned, columns, total, largest };
}

/** The rows after the first `kept`, put together so that a shortened table still adds up. */
export function restOf(
  heat: Heat,
  kept: number,
): { count: number; columns: number[]; sum: number } {
  const rest = heat.rows.slice(kept);
  const columns = heat.criteria.map((_, c) =>
    rest.reduce((s, row) => s + (row.cells[c]?.value ?? 0), 0),
  );
  return { count: rest.length, columns, sum: columns.reduce((s, v) => s + v, 0) };
}

/** Where each item of the new order stood before: places won (> 0), lost (< 0), or 'new'. */
export function movement(
  before: readonly string[],
  after: readonly string[],
): Map<string, number | 'new'> {
  const place = new Map(before.map((item, i) => [item, i]));
  return new Map(
    after.map((item, i) => {
      const old = place.get(item);
      return [item, old === undefined ? 'new' : old - i];
    }),
  );
}
