/**
 * Attacks on a verifier: right answers with something around them, answers of other problems, and texts near them in each
 * of the ways of `attempts.ts`. Each verdict is compared with a second checker's where there is one; else an answer that
 * is not listed, in any notation, is a false accept.
 */
import type { TaskItem } from '../../../../src/data/task.ts';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { type AttemptKind, attemptKinds, attemptOf } from './attempts.ts';
import { disagreement } from './checks.ts';
import { wrapped } from './probes.ts';
import type { Setting } from './setting.ts';

/** What was tried in one way, and how much of it was right after all: a way that never is would test half of a verifier. */
export interface Tried {
  texts: number;
  right: number;
}

/** Drawn texts per problem, at least: about as many as there are wrapped ones. */
const LEAST_PER_ITEM = 24;

/** Tries `attempts` texts in all, and reports each verdict that is wrong. Gives what was tried, by kind. */
export function attack(setting: Setting, attempts: number, seed = 'attack'): Map<AttemptKind | 'wrapped', Tried> {
  const { items } = setting;
  const rng = rngFor(`${seed}|${setting.definition.name}|${setting.name}`);
  const alphabet = alphabetOf(setting);
  const all = new Map<AttemptKind | 'wrapped', Tried>();
  const count = (kind: AttemptKind | 'wrapped', isRight: boolean): void => {
    const tried = all.get(kind) ?? { texts: 0, right: 0 };
    all.set(kind, { texts: tried.texts + 1, right: tried.right + (isRight ? 1 : 0) });
  };
  const perItem = Math.max(LEAST_PER_ITEM, Math.ceil(attempts / items.length / 2));
  let tried = 0;
  for (let round = 0; tried < attempts; round++) {
    const item = items[round % items.length] as TaskItem;
    const target = new Target(setting, item);
    const anotherAnswer = (): string => setting.oracle(rng.pick(items));
    if (round < items.length) {
      const texts = Object.values(wrapped(setting.oracle(item), anotherAnswer(), item.prompt));
      setting.each(texts, (text) => count('wrapped', target.tryWrapped(text)));
      tried += texts.length;
    }
    const drawn = Math.max(0, Math.min(perItem, attempts - tried));
    setting.repeat(drawn, () => {
      const kind = rng.pick(attemptKinds);
      const from = rng.int(0, 3) === 0 ? anotherAnswer() : rng.pick(target.listed);
      const { prompt } = item;
      const text = attemptOf[kind]({ answer: from, prompt, anotherAnswer, alphabet, codec: setting.tasks.codec, rng });
      count(kind, target.try(text));
    });
    tried += drawn;
  }
  return all;
}

/** Characters of its answers and of its vocabulary. */
function alphabetOf({ items, tasks }: Setting): string[] {
  const pieces = Array.from({ length: tasks.codec.vocabSize }, (_, id) => tasks.codec.tokenText(id));
  return [...new Set([...items.slice(0, 50).flatMap(({ answer }) => answer.split('')), ...pieces])];
}

/** A problem under attack; each text that is tried gives whether it is right. */
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

  try(text: string): boolean {
    const verdict = this.#setting.judge(this.#item, text);
    const second = this.#setting.secondly(this.#item, text);
    if (verdict === undefined) return false;
    const accepts = verdict.score === 1;
    if (second !== undefined) {
      this.#setting.count(second, verdict);
      if (second !== accepts) disagreement(this.#setting, this.#item, text, second);
      return second;
    }
    if (this.#setting.definition.answers === 'open') return accepts;
    if (this.#known.has(text)) this.#setting.count(true, verdict);
    if (!accepts || this.#known.has(text)) return accepts;
    const forms = new Set(this.listed.map((answer) => this.#setting.judge(this.#item, answer)?.canonical));
    if (verdict.canonical !== undefined && forms.has(verdict.canonical)) return true;
    const what =
      'an answer is accepted that is not listed; list it in solutions, give its canonical form, or set answers: open';
    this.#setting.count(false, verdict);
    this.#setting.report('false accept', what, { prompt: this.#item.prompt, answer: text, verdict });
    return false;
  }

  /** A right answer with something around it is no right answer, in whatever canonical form. */
  tryWrapped(text: string): boolean {
    if (this.#setting.second !== undefined || this.#setting.definition.answers === 'open') return this.try(text);
    const verdict = this.#setting.judge(this.#item, text);
    if (verdict !== undefined && !this.#known.has(text) && text !== '00') this.#setting.count(false, verdict);
    if (verdict?.score !== 1) return false;
    // Given twice, 0 is 00, which is 0 where zeros may precede a number.
    if (this.#known.has(text) || (this.#known.has('0') && text === '00')) return true;
    this.#setting.report('false accept', 'a right answer counts with something around it', {
      prompt: this.#item.prompt,
      answer: text,
      verdict,
    });
    return false;
  }
}
