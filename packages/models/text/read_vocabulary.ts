/**
 * The codec of a closed vocabulary, read back from the tokenizer.json that a run wrote of it: a new run from its weights
 * then has each token under the same id.
 */
import { byteTokenizer } from '../../../src/text/byte_tokenizer.ts';
import { type Codec, closedCodec } from '../../../src/text/codec.ts';
import { withWords } from '../../../src/text/control_words.ts';
import type { Tokenizer } from '../../../src/text/tokenizer.ts';
import { characterTokenizer, wordTokenizer } from '../../../src/text/vocabulary_tokenizer.ts';

type Json = Readonly<Record<string, unknown>>;

/** The special tokens that each of them begins with. */
const FIRST = ['<pad>', '<eos>'];

/**
 * @param json  contents of a tokenizer.json
 * @param name  of the vocabulary, for messages
 * @returns undefined where no closed vocabulary of this package has these very contents
 */
export function readVocabulary(json: Json, name: string): Codec | undefined {
  const { vocab, merges } = (json.model ?? {}) as Json;
  if (Array.isArray(merges) && merges.length > 0) return undefined; // Gemma begins with <pad> and <eos>, too
  const added: readonly Json[] = Array.isArray(json.added_tokens) ? json.added_tokens : [];
  const texts = added.map((token) => String(token?.content));
  if (typeof vocab !== 'object' || vocab === null || FIRST.some((special, id) => texts[id] !== special))
    return undefined;
  const pieces = Object.entries(vocab)
    .sort(([, a], [, b]) => Number(a) - Number(b))
    .map(([text]) => text);
  const ofVocabulary = added.filter(({ id }) => Number(id) < pieces.length).length;
  const specials = texts.slice(0, ofVocabulary);
  const words = Object.fromEntries(texts.slice(ofVocabulary).map((word) => [word, word])); // methods' own, after all others
  const vocabulary = { name, furtherSpecials: specials.slice(FIRST.length), tokens: pieces.slice(specials.length) };
  const written = JSON.stringify(json);
  const made: readonly (() => Tokenizer)[] = [
    () => byteTokenizer,
    () => characterTokenizer(vocabulary),
    () => wordTokenizer(vocabulary),
  ];
  for (const make of made) {
    const codec = withWords(closedCodec(make()), words);
    if (JSON.stringify(codec.toJSON()) === written) return codec;
  }
  return undefined;
}
