/** What a reward that is being edited would pay the answers in sight, while it trains, too. */
import type { CreditedGroup } from 'rlvr-train/web';
import type { Lab } from './lab.ts';

/** Milliseconds from the last key on until the code is run. */
const REST_MS = 300;

export class LivePay {
  readonly #lab: Lab;
  readonly #changed: () => void;
  #code: string | undefined;
  #group: CreditedGroup | undefined;
  #paid: { readonly group: CreditedGroup; readonly rewards: readonly (number | null)[] } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param changed  called when `of` says something else */
  constructor(lab: Lab, changed: () => void) {
    this.#lab = lab;
    this.#changed = changed;
  }

  /** @param code  undefined: nothing is edited */
  edit(code: string | undefined): void {
    this.#code = code;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#pay(), REST_MS);
  }

  /** The group that is in sight from now on. */
  show(group: CreditedGroup): void {
    this.#group = group;
    if (this.#code !== undefined) void this.#pay();
  }

  /** By its rollouts; undefined where nothing is edited, or the code gives no rewards yet. */
  of(group: CreditedGroup | undefined): readonly (number | null)[] | undefined {
    return this.#paid?.group === group ? this.#paid?.rewards : undefined;
  }

  async #pay(): Promise<void> {
    const [code, group, { run }] = [this.#code, this.#group, this.#lab];
    this.#paid = undefined;
    if (code !== undefined && group !== undefined && run !== undefined) {
      // Code that is half written is no problem to speak of: a try says what is wrong with it.
      const rows = await run.tryReward(code, group).catch(() => undefined);
      if (code !== this.#code || group !== this.#group) return;
      if (rows !== undefined) this.#paid = { group, rewards: rows.map(({ reward }) => reward) };
    }
    this.#changed();
  }
}
