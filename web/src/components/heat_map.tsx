// Rated item by criterion: what each rating adds to a score. It is a table, so it can be read aloud
// and walked through; colour only repeats what the numbers say.
import { useState } from 'preact/hooks';
import { restOf, type Heat } from '../lib/attribution';
import { colourOf } from '../lib/colours';
import * as format from '../lib/format';
import { href } from '../lib/router';
import { Swatch } from './attribution';

const shown = 15;

interface Props {
  heat: Heat;
  title: string;
  scores: format.Scores;
  baseline: number;
}

export function HeatMap({ heat, title, scores, baseline }: Props) {
  const [all, setAll] = useState(false);
  const cut = !all && heat.rows.length > shown + 1;
  const rows = cut ? heat.rows.slice(0, shown) : heat.rows;
  const rest = restOf(heat, rows.length);
  const number = (value: number) => scores.text(value);
  return (
    <>
      <div
        class="scroll-x"
        tabIndex={0}
        role="group"
        aria-label="What each rating adds, by criterion"
      >
        <table class="heat" style={{ '--columns': heat.criteria.length }}>
          <caption class="hidden-text">
            What each rating adds to the score of {title}. One row per rated item, one column per
            criterion. The sums of rows and of columns add up to the score.
          </caption>
          <thead>
            <tr>
              <th scope="col">Rated item</th>
              {heat.criteria.map((name, c) => (
                <th key={name} scope="col">
                  <span class="heat-head">
                    <Swatch criterion={c} />
                    {name}
                  </span>
                </th>
              ))}
              <th scope="col">Sum</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.item}>
                <th scope="row" class="breakable">
                  <a class="plain" href={href('items', { id: row.item })}>
                    {row.title || row.item}
                  </a>
                </th>
                {row.cells.map((cell, c) =>
                  cell ? (
                    <td
                      key={c}
                      class={`heat-cell${cell.value < 0 ? ' less' : ''}`}
                      data-value={cell.value}
                      style={{
                        '--of': colourOf(c),
                        '--strength': strength(cell.value, heat.largest),
                      }}
                    >
                      {number(cell.value)}
                      <small>rated {format.rating(cell.rating)}</small>
                    </td>
                  ) : (
                    <td key={c} class="heat-none">
                      <span aria-hidden="true">–</span>
                      <span class="hidden-text">not rated</span>
                    </td>
                  ),
                )}
                <td class="heat-sum">{number(row.sum)}</td>
              </tr>
            ))}
            {cut && (
              <tr>
                <th scope="row">{format.count(rest.count)} other items</th>
                {rest.columns.map((value, c) => (
                  <td key={c} class="number">
                    {number(value)}
                  </td>
                ))}
                <td class="heat-sum">{number(rest.sum)}</td>
              </tr>
            )}
            {heat.dials.map(({ criterion, weight, value, why }) => (
              <tr key={criterion}>
                <th scope="row" class="breakable">
                  {why.slice(0, 1).toUpperCase() + why.slice(1)}
                </th>
                {heat.criteria.map((name, c) =>
                  c === criterion ? (
                    <td
                      key={name}
                      class={`heat-cell${value < 0 ? ' less' : ''}`}
                      data-value={value}
                      style={{ '--of': colourOf(c), '--strength': strength(value, heat.largest) }}
                    >
                      {number(value)}
                      <small>turned to ×{weight}</small>
                    </td>
                  ) : (
                    <td key={name} />
                  ),
                )}
                <td class="heat-sum">{number(value)}</td>
              </tr>
            ))}
            {baseline !== 0 && (
              <tr>
                <th scope="row">Popularity, not due to ratings of this person</th>
                <td colSpan={heat.criteria.length} />
                <td class="heat-sum">{number(baseline)}</td>
              </tr>
            )}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Sum</th>
              {heat.columns.map((value, c) => (
                <td key={c} class="heat-sum">
                  {number(value)}
                </td>
              ))}
              <td class="heat-sum heat-total" data-value={heat.total}>
                {number(heat.total)}
              </td>
            </tr>
          </tfoot>
        </table>
      </div>
      {(cut || all) && (
        <button class="button quiet" type="button" onClick={() => setAll(!all)}>
          {cut ? `Show all ${format.count(heat.rows.length)} rated items` : 'Show fewer'}
        </button>
      )}
    </>
  );
}

// The square root keeps small parts visible beside large ones.
const strength = (value: number, largest: number): string =>
  largest > 0 ? Math.sqrt(Math.abs(value) / largest).toFixed(3) : '0';
