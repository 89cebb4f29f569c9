interface Props {
  label: string;
  value: string;
  secret?: boolean;
  grow?: boolean;
  onText(text: string): void;
}

/** A line of text that the browser does not fill in. */
export function TextField({ label, value, secret = false, grow = false, onText }: Props) {
  return (
    <label class={grow ? 'field grow' : 'field'}>
      <span>{label}</span>
      <input
        type={secret ? 'password' : 'text'}
        autocomplete="off"
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </label>
  );
}
