/** What the page has to say, above everything else: the newest first, the same thing once. */

export interface Note {
  readonly level: 'note' | 'warn' | 'stop';
  readonly text: string;
}

const MOST_NOTES = 4;

export class Notes {
  /** Another list whenever something was said or dismissed. */
  list: readonly Note[] = [];
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  say(level: Note['level'], text: string): void {
    this.list = [{ level, text }, ...this.list.filter((other) => other.text !== text)].slice(0, MOST_NOTES);
    this.#changed();
  }

  dismiss(note: Note): void {
    this.list = this.list.filter((other) => other !== note);
    this.#changed();
  }

  clear(): void {
    this.list = [];
  }
}

/** What a person sees of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
