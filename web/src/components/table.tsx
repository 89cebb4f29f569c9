import type { ComponentChildren } from 'preact';

interface Props {
  head: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
  /** Which columns hold numbers. */
  num(column: number): boolean;
}

export function Table({ head, rows, num }: Props) {
  const kind = (column: number) => (num(column) ? 'num' : undefined);
  return (
    <table>
      <thead>
        <tr>
          {head.map((name, i) => (
            <th key={name} scope="col" class={kind(i)}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, r) => (
          <tr key={r}>
            {row.map((cell, i) => (
              <td key={i} class={kind(i)}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
