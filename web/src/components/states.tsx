import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ApiError } from '../api';
import { href } from '../lib/router';

const retrySeconds = 2;

export function Loading({ what }: { what: string }) {
  return (
    <div class="loading" role="status">
      Loading {what}…
    </div>
  );
}

export function Failed({ error, again }: { error: ApiError; again?: () => void }) {
  if (error.code === 'not_ready' && again) return <NotReady error={error} again={again} />;
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

/** A server that has just begun, or has nothing to go by: asked again until it has. */
function NotReady({ error, again }: { error: ApiError; again: () => void }) {
  useEffect(() => {
    const timer = setTimeout(again, retrySeconds * 1000);
    return () => clearTimeout(timer);
  }, [error]);
  return (
    <div class="card state" role="status">
      <h2>The model is not ready yet</h2>
      <p>{error.detail}</p>
      {error.hint && <p>{error.hint}</p>}
      <p class="small">Asking again every {retrySeconds} seconds.</p>
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
      <p>Put some into the store; the server needs no restart.</p>
      <a class="button primary" href={href('upload')}>
        Upload a file
      </a>
      <p class="small">
        or <code>palate import ratings.csv --store FILE</code>, or over HTTP{' '}
        <code>POST /v1/ratings</code>
      </p>
    </Empty>
  );
}
