// What a newcomer has rated in this browser. It never leaves it but in the question for a list.
import type { ByCriterion, Criterion, ProfileRating, Subject } from '../api';

export interface Rated {
  item: string;
  title: string;
  values: ByCriterion;
}

const key = 'palate.newcomer';

export function load(storage: Pick<Storage, 'getItem'> | null): Rated[] {
  try {
    const rows: unknown = JSON.parse(storage?.getItem(key) ?? '[]');
    return Array.isArray(rows) ? rows.filter(isRated) : [];
  } catch {
    return [];
  }
}

function isRated(row: unknown): row is Rated {
  if (typeof row !== 'object' || row === null) return false;
  const { item, title, values } = row as Record<string, unknown>;
  return (
    typeof item === 'string' &&
    typeof title === 'string' &&
    typeof values === 'object' &&
    values !== null &&
    Object.values(values).every((v) => typeof v === 'number')
  );
}

export function save(storage: Pick<Storage, 'setItem'> | null, rows: readonly Rated[]): void {
  try {
    storage?.setItem(key, JSON.stringify(rows));
  } catch {
    // A full or forbidden storage: the ratings last as long as the page.
  }
}

/** Items without any value yet are not ratings, and criteria of other data mean nothing here. */
export function profileOf(rows: readonly Rated[], criteria: readonly Criterion[]): ProfileRating[] {
  return rows
    .map(({ item, values }) => ({
      item,
      values: Object.fromEntries(
        criteria.flatMap(({ name }) => {
          const value = values[name];
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    }))
    .filter(({ values }) => Object.keys(values).length > 0);
}

/** Whose list it is; undefined until they have rated something, or are known by name. */
export function subjectOf(
  isNew: boolean,
  user: string | undefined,
  profile: ProfileRating[],
): Subject | undefined {
  if (isNew) return profile.length > 0 ? { profile } : undefined;
  return user !== undefined ? { user } : undefined;
}

/** The grades that can be picked: whole steps; none for a scale that is too fine for that. */
export function stepsOf({ min, max }: Criterion): number[] {
  const low = Math.ceil(min);
  const high = Math.floor(max);
  // Data seldom holds the lowest grade of every criterion: a scale up to 5 or 10 begins at 1.
  const start = low > 1 && (high === 5 || high === 10) ? 1 : low;
  if (high - start > 10 || high <= start) return [];
  return Array.from({ length: high - start + 1 }, (_, i) => start + i);
}
