// The API key of this visit. It is kept for the tab only, and asked for when a server wants one.
import type { Keys } from '../api';

const name = 'palate.key';

export interface Prompt {
  refused: boolean;
  answer(key: string | null): void;
}

/** `show` puts the prompt before the person, or takes it away. */
export class SessionKeys implements Keys {
  private asking: Promise<string | null> | undefined;
  private known: string | null;

  constructor(
    private readonly show: (prompt: Prompt | null) => void,
    private readonly storage: Pick<Storage, 'getItem' | 'setItem'> | null,
  ) {
    this.known = storage?.getItem(name) ?? null;
  }

  get(): string | null {
    return this.known;
  }

  use(key: string): void {
    this.known = key;
    this.storage?.setItem(name, key);
  }

  /** Many requests may be refused at once: they share one prompt, and a key that came meanwhile. */
  ask(refused: string | null): Promise<string | null> {
    if (this.known !== null && this.known !== refused) return Promise.resolve(this.known);
    this.asking ??= new Promise((resolve) => {
      this.show({
        refused: refused !== null,
        answer: (key) => {
          this.asking = undefined;
          this.show(null);
          if (key !== null) this.use(key);
          resolve(key);
        },
      });
    });
    return this.asking;
  }
}
