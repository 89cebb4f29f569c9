import { useEffect, useRef, useState } from 'preact/hooks';
import type { Prompt } from '../lib/keys';
import { TextField } from './text_field';

export function KeyPrompt({ prompt }: { prompt: Prompt }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState('');
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    if (key.trim()) prompt.answer(key.trim());
  };
  return (
    <dialog
      class="dialog"
      ref={dialog}
      aria-labelledby="key-title"
      onCancel={() => prompt.answer(null)}
    >
      <form onSubmit={submit} class="stack">
        <div>
          <h2 id="key-title">This server wants an API key</h2>
          <p class="muted">
            {prompt.refused
              ? 'The key was not accepted. Check it, or ask whoever runs the server for another.'
              : 'A key with the role read is enough. It is kept until this tab is closed.'}
          </p>
        </div>
        <TextField label="API key" secret value={key} onText={setKey} />
        <div class="row-end">
          <button class="button" type="button" onClick={() => prompt.answer(null)}>
            Not now
          </button>
          <button class="button primary" type="submit">
            Use this key
          </button>
        </div>
      </form>
    </dialog>
  );
}
