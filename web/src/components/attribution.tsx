// The bar under an item: one piece per criterion, together as long as the score.
import type { Criterion } from '../api';
import { segments, zeroOf, type Scale } from '../lib/attribution';
import { colourOf } from '../lib/colours';
import type { Scores } from '../lib/format';

interface BarProps {
  criteria: readonly Criterion[];
  values: readonly number[];
  scale: Scale;
  scores: Scores;
  /** The criterion that is being looked at; the others step back. */
  lit?: number | undefined;
  /** What the dials add or take, drawn after the criteria. */
  dialled?: number | undefined;
  /** What a part is called, if not by its raw value: its share of the score. */
  text?: (value: number) => string;
}

export function AttributionBar({
  criteria,
  values,
  scale,
  scores,
  lit,
  dialled = 0,
  text = scores.text,
}: BarProps) {
  const name = (part: number) => criteria[part]?.name ?? 'what you turned';
  const all = dialled === 0 ? values : [...criteria.map((_, c) => values[c] ?? 0), dialled];
  const label = all.map((value, part) => `${name(part)} ${text(value)}`).join(', ');
  return (
    <div class="bar" role="img" aria-label={label}>
      {segments(all, scale).map(({ criterion, value, from, width }) => (
        <span
          key={criterion}
          class={`bar-part${criterion === criteria.length ? ' dialled' : ''}${value < 0 ? ' less' : ''}`}
          title={`${name(criterion)}: ${text(value)}`}
          data-dim={lit !== undefined && lit !== criterion ? '' : undefined}
          style={{
            left: `${from * 100}%`,
            width: `${width * 100}%`,
            backgroundColor: criterion < criteria.length ? colourOf(criterion) : undefined,
          }}
        />
      ))}
      {scale.low < 0 && <span class="bar-zero" style={{ left: `${zeroOf(scale) * 100}%` }} />}
    </div>
  );
}

interface LegendProps {
  criteria: readonly Pick<Criterion, 'name'>[];
  point?: ((criterion: number | undefined) => void) | undefined;
  /** Whether bars have a part of the dials. */
  dialled?: boolean;
}

export function Legend({ criteria, point, dialled = false }: LegendProps) {
  return (
    <ul class="legend" aria-label="Colours of the criteria">
      {criteria.map(({ name }, c) => (
        <li key={name} onMouseEnter={() => point?.(c)} onMouseLeave={() => point?.(undefined)}>
          <Swatch criterion={c} />
          {name}
        </li>
      ))}
      {dialled && (
        <li>
          <span class="swatch dialled" aria-hidden="true" />
          what you turned
        </li>
      )}
    </ul>
  );
}

export function Swatch({ criterion }: { criterion: number }) {
  return (
    <span class="swatch" style={{ backgroundColor: colourOf(criterion) }} aria-hidden="true" />
  );
}
