// A list that comes page by page. Other inputs begin it anew; the rows stay until the first page of
// the new list is there, so that typing does not flicker.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api';
import { asApiError } from './asked';

interface PageOf<T> {
  rows: T[];
  next: string | null;
}

export function usePaged<T>(
  ask: (after: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>,
  inputs: readonly unknown[],
) {
  const [page, setPage] = useState<PageOf<T> | undefined>();
  const [error, setError] = useState<ApiError | undefined>();
  const [pending, setPending] = useState(true);
  const [round, setRound] = useState(0);
  const current = useRef(new AbortController());

  const load = (after: string | undefined, earlier: T[]) => {
    current.current.abort();
    const controller = (current.current = new AbortController());
    setPending(true);
    ask(after, controller.signal).then(
      ({ rows, next }) => {
        if (controller.signal.aborted) return;
        setPage({ rows: [...earlier, ...rows], next });
        setError(undefined);
        setPending(false);
      },
      (failure: unknown) => {
        if (controller.signal.aborted) return;
        setError(asApiError(failure));
        setPending(false);
      },
    );
  };
  useEffect(() => {
    load(undefined, []);
    return () => current.current.abort();
  }, [...inputs, round]);

  return {
    rows: error ? undefined : page?.rows,
    error,
    pending,
    /** There is another page. */
    hasMore: !error && page?.next != null,
    more: () => page?.next != null && load(page.next, page.rows),
    again: () => setRound((r) => r + 1),
  };
}
