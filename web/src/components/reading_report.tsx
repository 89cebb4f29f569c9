// What reading a file gave: counts, scales, advice, and the rows that cannot be used.
import type { ImportResult } from '../api';
import * as format from '../lib/format';
import { Swatch } from './attribution';
import { Table } from './table';
import { Tiles } from './tiles';

const shownRows = 20;

export function ReadingReport({ result, write }: { result: ImportResult; write(): void }) {
  const { report, data } = result;
  const more = report.bad_rows - Math.min(shownRows, report.first_bad_rows.length);
  return (
    <>
      <Tiles
        tiles={[
          {
            name: 'Ratings',
            value: format.short(data.interactions),
            note: `of ${format.plural(report.rows, 'row')}, ${report.format}`,
          },
          { name: 'People', value: format.short(data.users) },
          { name: 'Items', value: format.short(data.items) },
          {
            name: 'Rows refused',
            value: format.short(report.bad_rows),
            note: report.bad_rows === 0 ? 'none' : 'listed below',
          },
        ]}
      />
      <section class="card stack" aria-labelledby="reading">
        <h2 id="reading">What was read</h2>
        <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="reading">
          <Table
            head={['Criterion', 'Ratings', 'Lowest', 'Highest']}
            rows={data.criteria.map(({ name, ratings, min, max }, c) => [
              <span class="heat-head">
                <Swatch criterion={c} />
                {name}
              </span>,
              format.count(ratings),
              format.rating(min),
              format.rating(max),
            ])}
            num={(column) => column > 0}
          />
        </div>
        <ul class="plain-list small">
          {report.missing_rule && <li>{sentence(report.missing_rule)}</li>}
          {report.duplicates > 0 && (
            <li>
              {format.plural(report.duplicates, 'row')} repeated a person and an item that were
              there already.
            </li>
          )}
          {report.notes.map((note) => (
            <li key={note}>{sentence(note)}</li>
          ))}
        </ul>
        {report.advice.map((advice) => (
          <p key={advice} class="notice breakable">
            {sentence(advice)}
          </p>
        ))}
        {report.first_bad_rows.length > 0 && (
          <div>
            <h3>Rows that cannot be used</h3>
            <div class="scroll-x bad-rows" tabIndex={0} role="group" aria-label="Rows refused">
              <Table
                head={['Line', 'Column', 'Reason']}
                rows={report.first_bad_rows
                  .slice(0, shownRows)
                  .map(({ line, field, column, reason }) => [
                    line,
                    field || (column > 0 ? String(column) : '–'),
                    reason,
                  ])}
                num={(column) => column === 0}
              />
            </div>
            {more > 0 && <p class="small muted">And {format.count(more)} more.</p>}
          </div>
        )}
        <div class="row-end">
          <button class="button primary" type="button" onClick={write}>
            Import {format.plural(data.interactions, 'rating')} into the store
          </button>
        </div>
      </section>
    </>
  );
}

const sentence = (text: string): string => {
  const begun = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
};
