// One question to the server as state of a component. The last answer stays while a newer question
// is under way, so that a page does not flicker.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api';

export interface Asked<T> {
  answer: T | undefined;
  error: ApiError | undefined;
  pending: boolean;
  again(): void;
}

export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError(
        0,
        'unexpected',
        'The explorer made a mistake',
        String(error),
        'Reload the page.',
      );

/** Asks again whenever `inputs` change; undefined instead of a question asks nothing. */
export function useAsked<T>(
  question: ((signal: AbortSignal) => Promise<T>) | undefined,
  inputs: readonly unknown[],
): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'again'>>({
    answer: undefined,
    error: undefined,
    pending: question !== undefined,
  });
  const [round, setRound] = useState(0);

  useEffect(() => {
    if (!question) {
      setState({ answer: undefined, error: undefined, pending: false });
      return undefined;
    }
    const controller = new AbortController();
    setState((s) => ({ ...s, pending: true }));
    question(controller.signal).then(
      (answer) => {
        if (!controller.signal.aborted) setState({ answer, error: undefined, pending: false });
      },
      (error: unknown) => {
        if (!controller.signal.aborted)
          setState({ answer: undefined, error: asApiError(error), pending: false });
      },
    );
    return () => controller.abort();
  }, [...inputs, round]);

  const again = useCallback(() => setRound((r) => r + 1), []);
  return { ...state, again };
}
