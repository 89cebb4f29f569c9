import type { Criterion, Weights } from '../api';
import { colourOf } from '../lib/colours';
import { Swatch } from './attribution';

interface Props {
  criteria: readonly Criterion[];
  weights: Weights;
  changed(weights: Weights): void;
  point(criterion: number | undefined): void;
}

const most = 3;

/** One slider per criterion: how much it counts, from not at all to three times as much. */
export function WeightSliders({ criteria, weights, changed, point }: Props) {
  const equal = criteria.every(({ name }) => (weights[name] ?? 1) === 1);
  return (
    <section class="card" aria-labelledby="weights-title">
      <div class="row-between">
        <h2 id="weights-title">What counts</h2>
        <button
          class="button quiet small"
          type="button"
          disabled={equal}
          onClick={() => changed({})}
        >
          All equal
        </button>
      </div>
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
                min="0"
                max={Math.max(most, weight)}
                step="0.1"
                value={weight}
                style={{ accentColor: colourOf(c) }}
                aria-valuetext={`${weight} times`}
                onInput={(event) =>
                  changed({ ...weights, [name]: Number(event.currentTarget.value) })
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
    </section>
  );
}
