// Orders as the server takes them: 'title', '-raters', '-mean:taste'.

/** Titles from A, numbers from the largest; a second click turns that round, a third undoes it. */
export function nextSort(sort: string | undefined, by: string): string | undefined {
  const first = by === 'title' ? by : `-${by}`;
  const second = by === 'title' ? `-${by}` : by;
  if (sort === first) return second;
  return sort === second ? undefined : first;
}

export function sortState(
  sort: string | undefined,
  by: string,
): 'ascending' | 'descending' | undefined {
  if (sort === by) return 'ascending';
  return sort === `-${by}` ? 'descending' : undefined;
}
