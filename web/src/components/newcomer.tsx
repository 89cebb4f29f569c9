// Rate a few items by criterion, without being in the data.
import { useId } from 'preact/hooks';
import type { Criterion, Item } from '../api';
import { useApp } from '../context';
import { useAsked } from '../lib/asked';
import { colourOf } from '../lib/colours';
import { stepsOf, type Rated } from '../lib/profile';
import { Swatch } from './attribution';
import { Search } from './search';

interface Props {
  rated: readonly Rated[];
  changed(rated: Rated[]): void;
}

export function Newcomer({ rated, changed }: Props) {
  const { api, criteria } = useApp();
  const popular = useAsked((signal) => api.data(signal), []);
  const known = new Set(rated.map(({ item }) => item));
  const add = (item: string, title: string) => {
    if (!known.has(item)) changed([{ item, title: title || item, values: {} }, ...rated]);
  };
  const suggestions = (popular.answer?.long_tail.top ?? []).filter(({ item }) => !known.has(item));
  return (
    <section class="card" aria-labelledby="newcomer-title">
      <div class="row-between">
        <h2 id="newcomer-title">Your ratings</h2>
        {rated.length > 0 && (
          <button class="button quiet small" type="button" onClick={() => changed([])}>
            Start over
          </button>
        )}
      </div>
      <Search<Item>
        label="Find an item you know"
        placeholder="Title or id"
        find={(text, signal) => api.items({ q: text, limit: 8 }, signal).then((r) => r.items)}
        idOf={(item) => item.id}
        show={(item) => <ItemHit item={item} />}
        picked={(item) => add(item.id, item.title)}
      />
      {rated.length < 3 && suggestions.length > 0 && (
        <div class="chips" role="group" aria-label="Often rated">
          {suggestions.slice(0, 5).map(({ item, title }) => (
            <button key={item} class="chip" type="button" onClick={() => add(item, title)}>
              + {title || item}
            </button>
          ))}
        </div>
      )}
      <ul class="rated">
        {rated.map((row) => (
          <li key={row.item}>
            <RatedItem
              row={row}
              criteria={criteria}
              changed={(next) => changed(rated.map((r) => (r.item === row.item ? next : r)))}
              removed={() => changed(rated.filter((r) => r.item !== row.item))}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ItemHit({ item }: { item: Item }) {
  return (
    <>
      <span class="breakable">{item.title || item.id}</span>
      <span class="small muted">
        {item.title && item.title !== item.id ? `${item.id} · ` : ''}
        {item.raters} rated it
      </span>
    </>
  );
}

interface RatedProps {
  row: Rated;
  criteria: readonly Criterion[];
  changed(row: Rated): void;
  removed(): void;
}

function RatedItem({ row, criteria, changed, removed }: RatedProps) {
  const set = (name: string, value: number | undefined) => {
    const { [name]: _, ...others } = row.values;
    changed({ ...row, values: value === undefined ? others : { ...others, [name]: value } });
  };
  return (
    <>
      <div class="row-between">
        <h3 class="breakable">{row.title}</h3>
        <button
          class="icon-button"
          type="button"
          onClick={removed}
          aria-label={`Remove ${row.title}`}
        >
          ×
        </button>
      </div>
      {criteria.map((criterion, c) => (
        <Grade
          key={criterion.name}
          of={row.title}
          criterion={criterion}
          index={c}
          value={row.values[criterion.name]}
          changed={(value) => set(criterion.name, value)}
        />
      ))}
    </>
  );
}

interface GradeProps {
  of: string;
  criterion: Criterion;
  index: number;
  value: number | undefined;
  changed(value: number | undefined): void;
}

function Grade({ of, criterion, index, value, changed }: GradeProps) {
  const id = useId();
  const steps = stepsOf(criterion);
  const label = `${of}: ${criterion.name}`;
  return (
    <div class="grade">
      <span class="slider-name">
        <Swatch criterion={index} />
        <span class="breakable">{criterion.name}</span>
      </span>
      {steps.length > 0 ? (
        <div class="pips" role="radiogroup" aria-label={label}>
          {steps.map((step) => (
            <label
              key={step}
              class="pip"
              data-on={value !== undefined && step <= value ? '' : undefined}
              style={{ '--of': colourOf(index) }}
            >
              <input
                type="radio"
                name={id}
                value={step}
                checked={value === step}
                onChange={() => changed(step)}
                onClick={() => value === step && changed(undefined)}
              />
              <span>{step}</span>
            </label>
          ))}
        </div>
      ) : (
        <input
          class="grade-number"
          type="number"
          aria-label={label}
          min={criterion.min}
          max={criterion.max}
          step="any"
          value={value ?? ''}
          onInput={(event) => {
            const { value: text, valueAsNumber } = event.currentTarget;
            changed(text === '' || !(valueAsNumber >= 0) ? undefined : valueAsNumber);
          }}
        />
      )}
    </div>
  );
}
