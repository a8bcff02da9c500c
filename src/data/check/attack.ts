/**
 * Attacks on a verifier: right answers with something around them, answers of other problems, edits by character. Each
 * verdict is compared with a second checker's where there is one; else an answer that is not listed, in any notation, is
 * a false accept.
 */
import { type Rng, rngFor } from '../../kernels/philox.ts';
import type { TaskItem } from '../task.ts';
import { disagreement } from './checks.ts';
import { mutated, wrapped } from './probes.ts';
import type { Setting } from './setting.ts';

/** Tries `attempts` texts in all, and reports each verdict that is wrong. */
export function attack(setting: Setting, attempts: number, seed = 'attack'): void {
  const { items } = setting;
  const rng = rngFor(`${seed}|${setting.definition.name}|${setting.name}`);
  const alphabet = alphabetOf(setting);
  let tried = 0;
  for (let round = 0; tried < attempts; round++) {
    const item = items[round % items.length] as TaskItem;
    const other = items[rng.int(0, items.length - 1)] as TaskItem;
    const target = new Target(setting, item);
    if (round < items.length) {
      const texts = wrapped(setting.oracle(item), setting.oracle(other), item.prompt);
      for (const text of Object.values(texts)) target.tryWrapped(text);
      tried += Object.keys(texts).length;
    }
    const perItem = Math.max(8, Math.ceil(attempts / items.length / 4));
    for (let i = 0; i < perItem; i++, tried++) {
      const from = rng.int(0, 3) === 0 ? setting.oracle(other) : rng.pick(target.listed);
      target.try(rng.int(0, 3) === 0 ? byToken(setting, from, rng) : mutated(from, alphabet, rng));
    }
  }
}

/** Characters of its answers and of its vocabulary. */
function alphabetOf({ items, tasks }: Setting): string[] {
  const own = Array.from({ length: tasks.codec.vocabSize }, (_, id) => tasks.codec.tokenText(id));
  return [...new Set([...items.slice(0, 50).flatMap(({ answer }) => answer.split('')), ...own])];
}

/** One token replaced, dropped or brought in. */
function byToken({ tasks }: Setting, text: string, rng: Rng): string {
  const ids = [...tasks.codec.encode(text)];
  const at = rng.int(0, ids.length);
  const fresh = rng.int(0, tasks.codec.vocabSize - 1);
  ids.splice(at, rng.int(0, 1), ...(rng.int(0, 3) === 0 ? [] : [fresh]));
  return tasks.codec.decode(ids);
}

/** A problem under attack. */
class Target {
  readonly listed: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #setting: Setting;
  readonly #item: TaskItem;

  constructor(setting: Setting, item: TaskItem) {
    this.#setting = setting;
    this.#item = item;
    this.listed = setting.listed(item);
    this.#known = new Set(this.listed);
  }

  try(text: string): void {
    const verdict = this.#setting.judge(this.#item, text);
    const second = this.#setting.secondly(this.#item, text);
    if (verdict === undefined) return;
    const accepts = verdict.score === 1;
    if (second !== undefined) {
      if (second !== accepts) disagreement(this.#setting, this.#item, text, second);
      return;
    }
    if (!accepts || this.#known.has(text) || this.#setting.definition.answers === 'open') return;
    const forms = new Set(this.listed.map((answer) => this.#setting.judge(this.#item, answer)?.canonical));
    if (verdict.canonical !== undefined && forms.has(verdict.canonical)) return;
    const what =
      'an answer is accepted that is not listed; list it in solutions, give its canonical form, or set answers: open';
    this.#setting.report('false accept', what, { prompt: this.#item.prompt, answer: text, verdict });
  }

  /** A right answer with something around it is no right answer, in whatever canonical form. */
  tryWrapped(text: string): void {
    if (this.#setting.second !== undefined || this.#setting.definition.answers === 'open') {
      this.try(text);
      return;
    }
    const verdict = this.#setting.judge(this.#item, text);
    if (verdict?.score !== 1 || this.#known.has(text)) return;
    this.#setting.report('false accept', 'a right answer counts with something around it', {
      prompt: this.#item.prompt,
      answer: text,
      verdict,
    });
  }
}
