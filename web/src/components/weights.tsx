import type { Criterion, Weights } from '../api';
import { colourOf } from '../lib/colours';
import { doublingsOf, mostDoublings, weightOf } from '../lib/dials';
import { Swatch } from './attribution';

interface Props {
  criteria: readonly Criterion[];
  weights: Weights;
  changed(weights: Weights): void;
  point(criterion: number | undefined): void;
}

/** One slider per criterion, at 1 in its middle; each step to the right doubles it by half. */
export function WeightSliders({ criteria, weights, changed, point }: Props) {
  const equal = criteria.every(({ name }) => (weights[name] ?? 1) === 1);
  return (
    <section class="card" aria-labelledby="weights-title">
      <h2 id="weights-title">What should count?</h2>
      <p class="small muted">Turn a criterion up or down: the list follows at once.</p>
      <div class="sliders">
        {criteria.map(({ name }, c) => {
          const weight = weights[name] ?? 1;
          return (
            <label key={name} class="slider">
              <span class="slider-name">
                <Swatch criterion={c} />
                <span class="breakable">{name}</span>
              </span>
              <span class="number muted weight" aria-hidden="true">
                ×{weight}
              </span>
              <input
                type="range"
                min={-mostDoublings}
                max={mostDoublings}
                step="0.5"
                value={doublingsOf(weight)}
                style={{ '--colour': colourOf(c) }}
                aria-valuetext={`${weight} times`}
                onInput={(event) =>
                  changed({ ...weights, [name]: weightOf(Number(event.currentTarget.value)) })
                }
                onFocus={() => point(c)}
                onPointerEnter={() => point(c)}
                onPointerLeave={() => point(undefined)}
                onBlur={() => point(undefined)}
              />
            </label>
          );
        })}
      </div>
      <button class="button small" type="button" disabled={equal} onClick={() => changed({})}>
        Reset all to 1
      </button>
    </section>
  );
}
