// A score as a person reads it; the raw one is a click away.
import type { Criterion, Meaning } from '../api';
import { matchText } from '../lib/meaning';
import { Swatch } from './attribution';

export function Match({ match }: { match: number }) {
  return (
    <span
      class="match"
      title={`Scores higher than ${matchText(match)} % of the items that this person has not rated`}
    >
      <span class="number">{matchText(match)}</span>
      <span class="small muted"> match</span>
    </span>
  );
}

/** Ratings that are to be expected, on the scale of the data. */
export function Predicted({
  criteria,
  predicted,
}: {
  criteria: readonly Pick<Criterion, 'name'>[];
  predicted: Meaning['predicted'];
}) {
  const known = criteria.flatMap(({ name }, c) => {
    const value = predicted?.[name];
    return value == null ? [] : [{ name, c, value }];
  });
  if (known.length === 0) return null;
  return (
    <p class="predicted small muted">
      <span>Would rate it</span>
      {known.map(({ name, c, value }) => (
        <span key={name} class="heat-head">
          <Swatch criterion={c} />
          {name} <span class="number">{value.toFixed(1)}</span>
        </span>
      ))}
    </p>
  );
}

export function RawSwitch({ raw, changed }: { raw: boolean; changed(raw: boolean): void }) {
  return (
    <button class="link" type="button" aria-pressed={raw} onClick={() => changed(!raw)}>
      Raw scores
    </button>
  );
}
