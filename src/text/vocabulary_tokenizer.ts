/**
 * Tokenizers with a fixed, closed vocabulary: one id per word, or one id per character.
 *
 * Ids: the special tokens first (`<pad>` 0, `<eos>` 1, then any further), then the ordinary ones in the order
 * given. A text with a piece outside the vocabulary is an error, never `<unk>`.
 */
import { DataError } from '../errors.ts';
import type { Tokenizer, Vocabulary } from './tokenizer.ts';
import { tokenizerConfigJSON, tokenizerJSON } from './tokenizer_json.ts';

export type { Vocabulary } from './tokenizer.ts';

const PAD = '<pad>';
const EOS = '<eos>';

/** How pieces are cut and joined, here and in Hugging Face's tokenizer.json. */
interface PieceRule {
  readonly pieces: 'words' | 'characters';
  split(text: string): readonly string[];
  readonly separator: string;
  readonly preTokenizer: Record<string, unknown>;
  /** null: Hugging Face joins the tokens with single spaces. */
  readonly decoder: Record<string, unknown> | null;
}

const WORDS: PieceRule = {
  pieces: 'words',
  split: (text) => (text === '' ? [] : text.split(' ')),
  separator: ' ',
  preTokenizer: { type: 'WhitespaceSplit' },
  decoder: null,
};

const CHARACTERS: PieceRule = {
  pieces: 'characters',
  split: (text) => text.split(''),
  separator: '',
  preTokenizer: { type: 'Split', pattern: { Regex: '[\\s\\S]' }, behavior: 'Isolated', invert: false },
  decoder: { type: 'Fuse' },
};

class VocabularyTokenizer implements Tokenizer {
  readonly padTokenId = 0;
  readonly eosTokenId = 1;
  readonly vocabSize: number;
  readonly closed: NonNullable<Tokenizer['closed']>;
  readonly #name: string;
  readonly #rule: PieceRule;
  readonly #numSpecials: number;
  readonly #texts: readonly string[];
  readonly #ids: ReadonlyMap<string, number>;

  constructor(vocabulary: Vocabulary, rule: PieceRule) {
    const specials = [PAD, EOS, ...(vocabulary.furtherSpecials ?? [])];
    this.closed = { ...vocabulary, pieces: rule.pieces };
    this.#rule = rule;
    this.#name = vocabulary.name;
    this.#numSpecials = specials.length;
    this.#texts = [...specials, ...vocabulary.tokens];
    this.#ids = new Map(this.#texts.map((text, id) => [text, id]));
    this.vocabSize = this.#texts.length;
    if (this.#ids.size !== this.vocabSize) {
      throw new DataError('duplicate-token', `vocabulary "${this.#name}" — each token may occur once only.`);
    }
  }

  encode(text: string): Int32Array {
    const pieces = this.#rule.split(text);
    const ids = new Int32Array(pieces.length);
    for (let i = 0; i < pieces.length; i++) {
      const id = this.#ids.get(pieces[i]);
      if (id === undefined || id < this.#numSpecials) throw this.#unknownPiece(pieces[i], i, text);
      ids[i] = id;
    }
    return ids;
  }

  #unknownPiece(piece: string, index: number, text: string): DataError {
    const shown = text.length > 60 ? `${text.slice(0, 59)}…` : text;
    const message =
      `${JSON.stringify(piece)} in ${JSON.stringify(shown)} — piece ${index + 1} is not in vocabulary ` +
      `"${this.#name}" of ${this.vocabSize} tokens; write texts in the task's own form.`;
    return new DataError('unknown-token', message, { piece, index, vocabulary: this.#name });
  }

  decode(tokens: ArrayLike<number>): string {
    const { separator } = this.#rule;
    let text = '';
    for (let i = 0; i < tokens.length; i++) text += (i === 0 ? '' : separator) + this.tokenText(tokens[i]);
    return text;
  }

  tokenText(id: number): string {
    const text = this.#texts[id];
    if (text === undefined) {
      throw new DataError(
        'unknown-token',
        `token id ${id} — vocabulary "${this.#name}" ends at ${this.vocabSize - 1}.`,
        {
          id,
        },
      );
    }
    return text;
  }

  toJSON(): Record<string, unknown> {
    return tokenizerJSON({
      specials: this.#texts.slice(0, this.#numSpecials),
      preTokenizer: this.#rule.preTokenizer,
      decoder: this.#rule.decoder,
      // A look-up table, written as BPE without merges: @huggingface/tokenizers (0.2.0) knows no WordLevel model,
      // and with `ignore_merges` both it and the Rust library look a whole piece up first.
      model: { vocab: Object.fromEntries(this.#ids), merges: [], ignoreMerges: true },
    });
  }

  configJSON(): Record<string, unknown> {
    return tokenizerConfigJSON(PAD, EOS);
  }
}

/** One id per word; words are separated by exactly one space, so that decoding is injective. */
export function wordTokenizer(vocabulary: Vocabulary): Tokenizer {
  return new VocabularyTokenizer(vocabulary, WORDS);
}

/** One id per character, joined without a separator. */
export function characterTokenizer(vocabulary: Vocabulary): Tokenizer {
  return new VocabularyTokenizer(vocabulary, CHARACTERS);
}

/**
 * One vocabulary for texts of all of these: the first one where there is but one, else the union of those made here of
 * the same kind, in their order. Undefined where there is none. A text has as many tokens in it as in its own.
 */
export function unionOf(tokenizers: readonly Tokenizer[]): Tokenizer | undefined {
  const [first] = tokenizers;
  if (tokenizers.every((tokenizer) => tokenizer === first)) return first;
  const vocabularies = tokenizers.flatMap(({ closed }) => (closed === undefined ? [] : [closed]));
  const [kind] = vocabularies.map(({ pieces }) => pieces);
  if (vocabularies.length < tokenizers.length || vocabularies.some(({ pieces }) => pieces !== kind)) return undefined;
  const furtherSpecials = [...new Set(vocabularies.flatMap((vocabulary) => vocabulary.furtherSpecials ?? []))];
  const tokens = new Set(vocabularies.flatMap((vocabulary) => vocabulary.tokens));
  if (furtherSpecials.some((special) => tokens.has(special))) return undefined;
  const name = [...new Set(vocabularies.map((vocabulary) => vocabulary.name))].join(' + ');
  const union = { name, furtherSpecials, tokens: [...tokens] };
  return kind === 'words' ? wordTokenizer(union) : characterTokenizer(union);
}
