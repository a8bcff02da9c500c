/** Tokens that are put together, some to be learned and others given. */
import type { TrainedText } from '../../../../../src/methods/points.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';

/** Collects the tokens of a text that a stage learns, each with its kind. */
export class LabelledTokens {
  readonly #tokens: number[] = [];
  readonly #labels: number[] = [];

  get length(): number {
    return this.#tokens.length;
  }

  /** @param kind  of TOKEN */
  add(tokens: Iterable<number>, kind: number): this {
    for (const token of tokens) {
      this.#tokens.push(token);
      this.#labels.push(kind);
    }
    return this;
  }

  /** The text up to the last token that is learned; undefined where none is. */
  after(prompt: Int32Array): TrainedText | undefined {
    const end = this.#labels.findLastIndex((kind) => kind !== TOKEN.given) + 1;
    if (end === 0) return undefined;
    const [tokens, labels] = [this.#tokens.slice(0, end), this.#labels.slice(0, end)];
    return { prompt, tokens: Int32Array.from(tokens), labels: Uint8Array.from(labels) };
  }
}
