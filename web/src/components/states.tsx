import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api';

export function Loading({ what }: { what: string }) {
  return (
    <div class="loading" role="status">
      Loading {what}…
    </div>
  );
}

export function Failed({ error, again }: { error: ApiError; again?: () => void }) {
  return (
    <div class="error-box" role="alert">
      <h2>{error.title}</h2>
      {error.detail && <p class="breakable">{error.detail}</p>}
      {error.hint && <p class="breakable">{error.hint}</p>}
      {again && (
        <button class="button" type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="card state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** For a store without ratings: what to do about it. */
export function NoRatings() {
  return (
    <Empty title="There are no ratings yet">
      <p>Put some into the store, then come back; the page needs no restart of the server.</p>
      <p>
        <code>palate import ratings.csv --store FILE</code>
      </p>
      <p class="small">
        or send them over HTTP: <code>POST /v1/ratings</code>
      </p>
    </Empty>
  );
}
