/**
 * A tokenizer.json, computed as the `tokenizers` library of Hugging Face computes it: added tokens are found, the rest is
 * normalized, split into pieces, and each piece becomes tokens of the model.
 */
import { AddedTokens } from './added_tokens.ts';
import { decoderOf } from './decoders.ts';
import { modelOf } from './models.ts';
import { normalizerOf } from './normalizers.ts';
import { type Json, listOf, type Model, requireKind } from './parts.ts';
import { preTokenizerOf } from './pre_tokenizers.ts';

/** Characters of sections whose tokens are kept: the sections of a chat are mostly those of the chat before. */
const MOST_KEPT = 1_000_000;

export class Tokenizer {
  readonly #model: Model;
  readonly #added: AddedTokens;
  readonly #sections: (text: string) => readonly (readonly number[])[];
  readonly #decode: (tokens: readonly string[]) => string;

  /** @throws Error that names the part of the file that is not computed here */
  constructor({ model, added_tokens: added, normalizer, pre_tokenizer: preTokenizer, decoder }: Json) {
    this.#model = modelOf(requireKind('model', model));
    const normalize = normalizerOf(normalizer);
    const split = preTokenizerOf(preTokenizer);
    this.#added = new AddedTokens(listOf(added), this.#model, normalize);
    this.#decode = decoderOf(decoder);
    const { tokensOf } = this.#model;
    const kept = keeping((text, isFirst) => split([{ text, isFirst }]).flatMap((piece) => tokensOf(piece.text)));
    this.#sections = (text) =>
      this.#added
        .split(text, normalize)
        .map((section) => (typeof section === 'number' ? [section] : kept(section.text, section.isFirst)));
  }

  /** Tokens of a text, without those of the post-processor. */
  encode(text: string): number[] {
    return this.#sections(text).flat();
  }

  /** Text of tokens; ids that the vocabulary has not are left out. */
  decode(ids: readonly number[], { skipSpecial = false } = {}): string {
    const tokens = ids.flatMap((id) => {
      const token = this.tokenOf(id);
      return token === undefined || (skipSpecial && this.#added.isSpecial(token)) ? [] : [token];
    });
    return tokens.length === 0 ? '' : this.#decode(tokens);
  }

  tokenOf(id: number): string | undefined {
    return this.#added.tokenOf(id) ?? this.#model.tokenOf(id);
  }

  idOf(token: string): number | undefined {
    return this.#added.idOf(token) ?? this.#model.idOf(token);
  }

  /** Ids of the vocabulary and of the added tokens; some may come twice. */
  ids(): Iterable<number> {
    return [...this.#model.ids(), ...this.#added.ids()];
  }
}

/** The same function, which remembers; all of it is forgotten where more characters than `MOST_KEPT` are kept. */
function keeping(
  encode: (text: string, isFirst: boolean) => readonly number[],
): (text: string, isFirst: boolean) => readonly number[] {
  const first = new Map<string, readonly number[]>();
  const further = new Map<string, readonly number[]>();
  let characters = 0;
  return (text, isFirst) => {
    const kept = isFirst ? first : further;
    const known = kept.get(text);
    if (known !== undefined) return known;
    const tokens = encode(text, isFirst);
    characters += text.length;
    if (characters > MOST_KEPT) {
      first.clear();
      further.clear();
      characters = text.length;
    }
    kept.set(text, tokens);
    return tokens;
  };
}
