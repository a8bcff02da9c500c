/** A vocabulary that is closed: a token is a whole piece, a word or a character. */
export interface Vocabulary {
  /** Names the vocabulary in error messages. */
  readonly name: string;
  /** Special tokens after `<pad>` and `<eos>`. */
  readonly furtherSpecials?: readonly string[];
  /** Ordinary tokens, unique; without spaces for words, one UTF-16 unit each for characters. */
  readonly tokens: readonly string[];
}

/**
 * Text to ids and back. `decode(encode(text)) === text` for every text in a task's language.
 *
 * A closed vocabulary is injective: two different sequences never decode to the same text. A pretrained model's
 * tokenizer is not, so a verifier judges the decoded text and nothing else.
 */
export interface Tokenizer {
  readonly vocabSize: number;
  readonly eosTokenId: number;
  readonly padTokenId: number;
  /** What a closed vocabulary is made of: several can then be one. */
  readonly closed?: Vocabulary & { readonly pieces: 'words' | 'characters' };
  /** @throws DataError naming the first piece that has no id */
  encode(text: string): Int32Array;
  /**
   * Special tokens appear as their text, so that one in the middle of an answer is seen and rejected. Bytes that are no
   * UTF-8 become U+FFFD; no sequence of ids below `vocabSize` is an error.
   */
  decode(tokens: ArrayLike<number>): string;
  /** The ordinary or special token of an id, as text. */
  tokenText(id: number): string;
  /** Contents of Hugging Face's tokenizer.json. */
  toJSON(): Record<string, unknown>;
  /** Contents of Hugging Face's tokenizer_config.json. */
  configJSON(): Record<string, unknown>;
}
