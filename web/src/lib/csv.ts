// Tables as CSV that any program opens, and that runs nothing in a spreadsheet.
import type { Criterion, RecommendationList } from '../api';
import { hasMeaning } from './meaning';

type Cell = string | number | null | undefined;

// A spreadsheet takes a text that begins so for a formula; the wide forms are those of East Asian
// keyboards.
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

function cellOf(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines end as RFC 4180 has it. */
export const csv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');

/** A list with what each criterion, and what was turned, adds to each score. */
export function listAsCsv(
  { items }: RecommendationList,
  criteria: readonly Criterion[],
  user: string | undefined,
): string {
  const names = criteria.map(({ name }) => name);
  const meaning = hasMeaning(items);
  const dialled = items.some((row) => row.dialled !== undefined);
  return csv([
    [
      ...['user', 'rank', 'item', 'title', 'score'],
      ...(meaning ? ['match', ...names.map((name) => `predicted ${name}`)] : []),
      ...names.map((name) => `from ${name}`),
      ...(dialled ? ['from what was turned'] : []),
    ],
    ...items.map((row) => [
      user,
      row.rank,
      row.item,
      row.title,
      row.score,
      ...(meaning ? [row.match, ...names.map((name) => row.predicted?.[name])] : []),
      ...names.map((name) => row.by_criterion?.[name]),
      ...(dialled ? [row.dialled] : []),
    ]),
  ]);
}

/** Hands a file to the person; `name` may hold anything. */
export function download(name: string, text: string): void {
  // With a byte order mark spreadsheets read UTF-8.
  const url = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80)}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
