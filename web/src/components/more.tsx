/** The end of a list that has another page. */
export function ShowMore({ pending, more }: { pending: boolean; more(): void }) {
  return (
    <button class="button" type="button" onClick={more} disabled={pending}>
      Show more
    </button>
  );
}

/** A field that changes the list under it with every letter. */
export function FilterField({
  label,
  value,
  changed,
}: {
  label: string;
  value: string;
  changed(text: string): void;
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="search" value={value} onInput={(event) => changed(event.currentTarget.value)} />
    </label>
  );
}
