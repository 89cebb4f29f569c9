// A search field with a list of hits under it, as the ARIA pattern "combobox" asks for: arrows move
// through the hits, Enter takes one, Escape closes.
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { ApiError, type User } from '../api';
import { useApp } from '../context';
import { asApiError } from '../lib/asked';
import { latest } from '../lib/latest';

interface Props<T> {
  label: string;
  placeholder: string;
  /** What the field shows while nobody types. */
  value?: string;
  find(text: string, signal: AbortSignal): Promise<T[]>;
  idOf(hit: T): string;
  show(hit: T): ComponentChildren;
  picked(hit: T): void;
}

export function Search<T>({ label, placeholder, value = '', find, idOf, show, picked }: Props<T>) {
  const id = useId();
  const [text, setText] = useState<string | null>(null);
  const [hits, setHits] = useState<T[] | undefined>();
  const [error, setError] = useState<ApiError | undefined>();
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const list = useRef<HTMLUListElement>(null);

  const asker = useMemo(
    () =>
      latest(
        find,
        (found: T[]) => {
          setHits(found);
          setError(undefined);
          setAt(0);
        },
        (failure) => setError(asApiError(failure)),
      ),
    [],
  );
  useEffect(() => () => asker.forget(), []);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const type = (next: string) => {
    setText(next);
    setOpen(true);
    asker.ask(next);
  };
  const close = () => {
    setOpen(false);
    setText(null);
    asker.forget();
  };
  const take = (hit: T) => {
    close();
    picked(hit);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return close();
    if (event.key === 'ArrowDown' && !open) return type(text ?? '');
    if (!open || !hits?.length) return undefined;
    if (event.key === 'ArrowDown') setAt((at + 1) % hits.length);
    else if (event.key === 'ArrowUp') setAt((at + hits.length - 1) % hits.length);
    else if (event.key === 'Enter') take(hits[at]!);
    else return undefined;
    event.preventDefault();
    return undefined;
  };

  return (
    <div class="search">
      <label class="field">
        <span>{label}</span>
        <input
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          value={text ?? value}
          aria-expanded={open}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={open && hits?.length ? `${id}-${at}` : undefined}
          onInput={(event) => type(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          onClick={() => open || type(text ?? '')}
          onBlur={close}
          onKeyDown={onKeyDown}
        />
      </label>
      <div class="hits" hidden={!open}>
        <ul id={`${id}-list`} role="listbox" aria-label={label} ref={list}>
          {open &&
            hits?.map((hit, i) => (
              // mousedown instead of click: the field would lose the focus and close first.
              <li
                key={idOf(hit)}
                id={`${id}-${i}`}
                role="option"
                aria-selected={i === at}
                onMouseDown={(event) => {
                  event.preventDefault();
                  take(hit);
                }}
              >
                {show(hit)}
              </li>
            ))}
        </ul>
        {open && hits?.length === 0 && !error && <p class="hits-note">Nothing found.</p>}
        {open && error && <p class="hits-note">{error.title}.</p>}
      </div>
    </div>
  );
}

/** Someone in the data, by id. */
export function PersonSearch({
  user,
  picked,
}: {
  user: string | undefined;
  picked(id: string): void;
}) {
  const { api } = useApp();
  return (
    <Search<User>
      label="Person"
      placeholder="Search by id"
      value={user ?? ''}
      find={(text, signal) => api.users(text, 8, undefined, signal).then((r) => r.users)}
      idOf={(hit) => hit.id}
      show={(hit) => <span class="breakable">{hit.id}</span>}
      picked={(hit) => picked(hit.id)}
    />
  );
}
