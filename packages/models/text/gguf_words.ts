/**
 * A closed vocabulary of words in the metadata of a GGUF file. llama.cpp has no tokenizer of words, but its Unigram
 * (`tokenizer.ggml.model` t5) is one where every token begins with a blank and has no other: it puts a blank before the text,
 * takes several for one, and then each word is one token, or unknown. Unknown becomes `<pad>`, where this package refuses the
 * text.
 */
import { closedCodec } from '../../../src/text/codec.ts';
import { withWords } from '../../../src/text/control_words.ts';
import { wordTokenizer } from '../../../src/text/vocabulary_tokenizer.ts';
import type { TokenizerFiles } from './pretrained_codec.ts';

/** `tokenizer.ggml.model` */
export const UNIGRAM = 't5';

/** A blank, as SentencePiece writes it in a token. */
const BLANK = '▁';

/** `tokenizer.ggml.token_type` of a word; all others are control tokens. */
const NORMAL = 1;

/** Beside the tokens. */
export const UNIGRAM_RULES = {
  model: UNIGRAM,
  add_space_prefix: true,
  remove_extra_whitespaces: true,
  add_eos_token: false,
  unknown_token_id: 0,
} as const;

/** A word as its token. */
export function unigramToken(word: string): string {
  return BLANK + word;
}

/**
 * @param tokens  in the order of their ids
 * @param kinds  `tokenizer.ggml.token_type` of each
 * @returns undefined where they are no vocabulary of words that this package wrote
 */
export function unigramWords(
  tokens: readonly string[],
  kinds: readonly unknown[],
  source: string,
): TokenizerFiles | undefined {
  const isWord = tokens.map((_, id) => kinds[id] === NORMAL);
  const [first, end] = [isWord.indexOf(true), isWord.lastIndexOf(true) + 1];
  const words = tokens.slice(first, end);
  const isRefused = words.some((token, i) => !isWord[first + i] || token.lastIndexOf(BLANK) !== 0);
  const [pad, eos, ...furtherSpecials] = tokens.slice(0, first);
  if (end === 0 || isRefused || pad !== '<pad>' || eos !== '<eos>') return undefined;
  const vocabulary = { name: source, furtherSpecials, tokens: words.map((token) => token.slice(BLANK.length)) };
  const control = Object.fromEntries(tokens.slice(end).map((word) => [word, word]));
  const codec = withWords(closedCodec(wordTokenizer(vocabulary)), control);
  return {
    source,
    tokenizer: codec.toJSON(),
    config: codec.configJSON(),
    chatTemplate: undefined,
    eosTokenIds: [codec.eosTokenId],
  };
}
