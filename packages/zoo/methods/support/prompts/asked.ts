/** What became of the problems that a source has asked: the shares of their groups that were right, each read once. */
import type { TaskItem } from '../../../../../src/data/task.ts';
import { categoryOf, type Ledger, problemKey } from '../../../../../src/methods/ledger.ts';
import type { Stateful } from '../../../../../src/methods/stateful.ts';
import type { Json } from '../../../../../src/options/json.ts';

/** Problems whose groups are waited for; beyond, those asked longest ago are forgotten. */
const WAITING = 4096;

/** A problem, its category, and the groups of it that were there when it was asked: plain data. */
type Asked = Readonly<{ key: string; task: string | null; category: string; visits: number }>;

type Visits = Pick<Ledger, 'get'>;

export class AskedProblems implements Stateful {
  /** By `problemKey`, in the order in which they were asked. */
  #waiting = new Map<string, Asked>();

  add(items: readonly TaskItem[], ledger: Visits): void {
    for (const item of items) {
      const name = problemKey(item);
      if (this.#waiting.has(name)) continue;
      const { key, task = null } = item;
      this.#waiting.set(name, { key, task, category: categoryOf(item), visits: ledger.get(item)?.visits ?? 0 });
    }
    for (const name of this.#waiting.keys()) {
      if (this.#waiting.size <= WAITING) break;
      this.#waiting.delete(name);
    }
  }

  /** The shares of the groups that are there by now, by category; these problems are then no longer waited for. */
  read(ledger: Visits): ReadonlyMap<string, readonly number[]> {
    const shares = new Map<string, number[]>();
    for (const [name, { key, task, category, visits }] of this.#waiting) {
      const known = ledger.get({ key, task: task ?? undefined });
      if (known?.history === undefined || known.visits <= visits) continue;
      shares.set(category, [...(shares.get(category) ?? []), ...known.history.slice(visits - known.visits)]);
      this.#waiting.delete(name);
    }
    return shares;
  }

  state(): Json {
    return [...this.#waiting.values()];
  }

  restore(state: Json): void {
    const all = state as readonly Asked[]; // written by `state`
    this.#waiting = new Map(all.map((one) => [problemKey({ key: one.key, task: one.task ?? undefined }), one]));
  }
}
