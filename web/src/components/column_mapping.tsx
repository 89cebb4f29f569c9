// Which column of a file is what. What is not named is guessed, and the guess is shown.
import type { ImportResult, Mapping } from '../api';

type Report = ImportResult['report'];
type Single = 'user' | 'item' | 'overall' | 'time' | 'title';

const roles: { name: Single; label: string; optional: boolean }[] = [
  { name: 'user', label: 'Person', optional: false },
  { name: 'item', label: 'Item', optional: false },
  { name: 'overall', label: 'Overall rating', optional: false },
  { name: 'title', label: 'Title of the item', optional: true },
  { name: 'time', label: 'Time', optional: true },
];

interface Props {
  report: Report | undefined;
  head: readonly string[];
  mapping: Mapping;
  changed(mapping: Mapping): void;
  disabled: boolean;
}

export function ColumnMapping({ report, head, mapping, changed, disabled }: Props) {
  const columns = report?.columns;
  const criteria = columns?.criteria ?? [];
  const found: Partial<Record<Single, string>> = columns
    ? { ...columns, overall: criteria[0] ?? '' }
    : {};
  const names = columns
    ? [columns.user, columns.item, ...criteria, columns.title, columns.time, ...columns.ignored]
    : head;
  const all = names.filter((name, i) => name !== '' && names.indexOf(name) === i);
  const further = mapping.criteria ?? criteria.slice(1);
  const taken = new Set(roles.map(({ name }) => mapping[name] ?? found[name]));
  const toggle = (name: string) =>
    changed({
      ...mapping,
      criteria: further.includes(name) ? further.filter((c) => c !== name) : [...further, name],
    });
  const choice = (
    label: string,
    name: 'zeros' | 'duplicates' | 'delimiter',
    options: Record<string, string>,
  ) => (
    <label class="field">
      <span>{label}</span>
      <select
        value={mapping[name] ?? ''}
        onChange={(event) =>
          changed({ ...mapping, [name]: event.currentTarget.value || undefined })
        }
      >
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section class="card stack" aria-labelledby="mapping">
      <div>
        <h2 id="mapping">Columns</h2>
        <p class="small muted">
          What you do not choose is guessed by name and by content. Each change reads the file
          again.
        </p>
      </div>
      <fieldset class="bare" disabled={disabled}>
        <legend class="hidden-text">Which column is what</legend>
        <div class="picker">
          {roles.map(({ name, label, optional }) => (
            <label key={name} class="field">
              <span>{label}</span>
              <select
                value={mapping[name] ?? ''}
                onChange={(event) =>
                  changed({ ...mapping, [name]: event.currentTarget.value || undefined })
                }
              >
                <option value="">
                  {found[name] ? `${found[name]} (found)` : optional ? 'none' : 'choose a column'}
                </option>
                {all.map((column) => (
                  <option key={column} value={column}>
                    {column}
                  </option>
                ))}
              </select>
            </label>
          ))}
          {choice('A rating of 0 is', 'zeros', { '': 'not rated', ratings: 'a rating' })}
          {choice('Rated several times', 'duplicates', {
            '': 'the newest counts',
            first: 'the oldest counts',
            mean: 'the mean counts',
            error: 'is an error',
          })}
          <label class="field">
            <span>A word for “not rated”</span>
            <input
              type="text"
              autocomplete="off"
              placeholder="besides n/a and the like"
              value={mapping.missing ?? ''}
              onChange={(event) =>
                changed({ ...mapping, missing: event.currentTarget.value.trim() || undefined })
              }
            />
          </label>
          {choice('Between fields', 'delimiter', {
            '': 'found',
            comma: 'comma',
            semicolon: 'semicolon',
            tab: 'tab',
            pipe: '|',
          })}
        </div>
      </fieldset>
      <fieldset class="checks" disabled={disabled}>
        <legend>Further criteria</legend>
        {all
          .filter((name) => !taken.has(name))
          .map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={further.includes(name)}
                onChange={() => toggle(name)}
              />
              <span class="breakable">
                {name}
                {columns?.ignored_because[name] && (
                  <span class="muted"> · set aside: {columns.ignored_because[name]}</span>
                )}
              </span>
            </label>
          ))}
      </fieldset>
    </section>
  );
}
