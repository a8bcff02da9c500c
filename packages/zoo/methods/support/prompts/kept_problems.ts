/** Problems that a source has settled on: asked in turn, over and over, and part of the checkpoint. */
import type { TaskItem } from '../../../../../src/data/task.ts';
import type { Stateful } from '../../../../../src/methods/stateful.ts';
import type { Json } from '../../../../../src/options/json.ts';

export class KeptProblems implements Stateful {
  #items: readonly TaskItem[] = [];
  #next = 0;

  get count(): number {
    return this.#items.length;
  }

  /** Replaces all problems by these. */
  keep(items: readonly TaskItem[]): void {
    this.#items = items;
    this.#next = 0;
  }

  /** The next ones, from the first again after the last. */
  take(count: number): readonly TaskItem[] {
    const taken = Array.from({ length: count }, (_, i) => this.#items[(this.#next + i) % this.#items.length]);
    this.#next = (this.#next + count) % this.#items.length;
    return taken;
  }

  state(): Json {
    return { items: this.#items as unknown as Json, next: this.#next }; // an item is plain data
  }

  /** @throws TypeError where that is no state of these */
  restore(state: Json): void {
    const { items, next } = state as { readonly items?: unknown; readonly next?: unknown }; // looked at next
    if (!Array.isArray(items) || !items.every(isItem)) throw new TypeError('kept problems that are none');
    if (!Number.isInteger(next) || Number(next) < 0 || Number(next) > items.length) {
      throw new TypeError(`place ${String(next)} of ${items.length} kept problems`);
    }
    this.#items = items;
    this.#next = Number(next);
  }
}

const TEXTS = ['id', 'key', 'prompt', 'answer'] as const;

function isItem(value: unknown): value is TaskItem {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return TEXTS.every((name) => typeof fields[name] === 'string') && fields.identity !== undefined;
}
