/**
 * Code that is not the visitor's own runs when they have seen it and said so, and not before: a reward or a task that came
 * with a link or a file. What was agreed to once, or tried in the editor, is not asked again.
 */
import type { OwnCode } from './experiment.ts';

const KEY = 'rlvr-train agreed';
const MOST = 50;

/** What the visitor is asked. */
export interface Question {
  readonly codes: readonly OwnCode[];
  /** `This link`, `run.zip`. */
  readonly from: string;
  readonly answer: (agreed: boolean) => void;
}

export class Agreement {
  question: Question | undefined;
  readonly #changed: () => void;

  /** @param changed  called whenever there is another question, or none */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Resolves when the visitor has answered; at once where they know all of the code. A later question withdraws an open one. */
  async ask(codes: readonly OwnCode[], from: string): Promise<boolean> {
    this.question?.answer(false);
    const unknown = codes.filter(({ code }) => !this.knows(code));
    if (unknown.length === 0) return true;
    const agreed = await new Promise<boolean>((resolve) => {
      const answer = (given: boolean): void => {
        if (this.question?.answer === answer) this.question = undefined;
        this.#changed();
        resolve(given);
      };
      this.question = { codes: unknown, from, answer };
      this.#changed();
    });
    if (agreed) for (const { code } of unknown) this.learn(code);
    return agreed;
  }

  knows(code: string): boolean {
    return known().includes(code);
  }

  /** The visitor wrote the code, or has agreed to it. */
  learn(code: string): void {
    const codes = [code, ...known().filter((other) => other !== code)].slice(0, MOST);
    try {
      localStorage.setItem(KEY, JSON.stringify(codes));
    } catch {
      // A browser without storage asks again.
    }
  }
}

function known(): string[] {
  try {
    const codes: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : [];
  } catch {
    return [];
  }
}
