import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api, Criterion } from './api';

export interface App {
  api: Api;
  /** Overall first; empty until the store has some. */
  criteria: Criterion[];
  /** Asks for the criteria anew: an import may have brought some. */
  reload(): void;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('outside of the app');
  return app;
}

/** Browsers may forbid storage altogether; touching it then throws. */
export function storageOf(kind: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[kind];
  } catch {
    return null;
  }
}
