/**
 * A codec's tokenizer as the metadata of a GGUF file: what `gguf_tokenizer.ts` and llama.cpp read it from. Written are
 * byte-level BPE whose way to split a text has a name there, SentencePiece's BPE, closed vocabularies of characters or
 * bytes, as BPE without merges, and those of words, as Unigram.
 */
import { DataError } from '../../../src/errors.ts';
import { byteCharacters } from '../../../src/text/byte_tokenizer.ts';
import { asksInWords, type Codec } from '../../../src/text/codec.ts';
import { beginningOf, tokenText } from './beginning.ts';
import { pieceRules, SENTENCE_PIECE, scoresOf, TOKEN_TYPE } from './gguf_sentencepiece.ts';
import { RULES, type TextRules } from './gguf_tokenizer.ts';
import { UNIGRAM_RULES, unigramToken } from './gguf_words.ts';
import { chatTemplateIn } from './pretrained_codec.ts';
import { CHAT_TEMPLATE } from './tokenizer_files.ts';

type Json = Readonly<Record<string, unknown>>;
type Value = string | number | boolean | readonly string[] | Int32Array<ArrayBuffer> | Float32Array<ArrayBuffer>;
type Values = Map<string, Value>;

interface Tokens {
  /** [rows of the embedding] */
  readonly tokens: string[];
  /** [rows of the embedding] of TOKEN_TYPE */
  readonly types: Int32Array<ArrayBuffer>;
}

/** Tokens, and by which rules a text becomes them. */
type Vocabulary = Tokens & (Bpe | Pieces | typeof UNIGRAM_RULES);

interface Bpe {
  readonly model: 'gpt2';
  readonly pre: string;
  readonly merges: readonly string[];
}

interface Pieces {
  readonly model: typeof SENTENCE_PIECE;
  readonly scores: Float32Array<ArrayBuffer>;
  readonly unknown_token_id: number;
  readonly add_space_prefix: boolean;
}

/** What ends an answer, as far as a file holds it: the end of text, and of a turn. */
export function ggufStopIds({ eosTokenId, stopIds }: Pick<Codec, 'eosTokenId' | 'stopIds'>): readonly number[] {
  return [eosTokenId, ...stopIds.filter((id) => id !== eosTokenId).slice(0, 1)];
}

/**
 * @param name  the model's, for messages
 * @throws DataError `tokenizer-unwritten` where llama.cpp has no name for how it splits a text
 */
export function ggufVocabulary(codec: Codec, name: string): Values {
  const tokenizer = codec.toJSON();
  const { tokens, types, ...rules } = asksInWords(codec)
    ? wordsOf(tokenizer, codec.vocabSize, name)
    : closedVocabulary(tokenizer, codec);
  const config = codec.configJSON();
  const [, eot] = ggufStopIds(codec);
  const bos = tokens.indexOf(tokenText(config.bos_token) ?? '');
  const values: Values = new Map<string, Value>([
    ...Object.entries(rules),
    ['tokens', tokens],
    ['token_type', types],
    ['eos_token_id', codec.eosTokenId],
    ['padding_token_id', codec.padTokenId],
    ['add_bos_token', bos >= 0 && beginningOf(tokenizer, config) === tokens[bos]],
  ]);
  if (bos >= 0) values.set('bos_token_id', bos);
  if (eot !== undefined) values.set('eot_token_id', eot);
  const all: Values = new Map([...values].map(([key, value]) => [`tokenizer.ggml.${key}`, value]));
  const file = codec.files?.get(CHAT_TEMPLATE);
  const template = file === undefined ? chatTemplateIn(config) : new TextDecoder().decode(file);
  if (template !== undefined) all.set('tokenizer.chat_template', template);
  return all;
}

/** The tokenizer of a pretrained model. */
function wordsOf(tokenizer: Json, rows: number, name: string): Vocabulary {
  const {
    type = 'BPE',
    vocab,
    merges = [],
    byte_fallback: bytes,
    unk_token: unknown,
  } = (tokenizer.model ?? {}) as Json;
  if (type !== 'BPE') throw unwritten(name, `its model is ${String(type)}, and BPE is written`);
  const pairs = (merges as unknown[]).map((merge) => (Array.isArray(merge) ? merge : String(merge).split(' ')));
  const found = rowsOf(vocab as Json, addedTokens(tokenizer), rows);
  const prefix = [true, false].find((each) => isSame(pieceRules(each).normalizer, tokenizer.normalizer));
  if (prefix === undefined || !splitsNothing(tokenizer.pre_tokenizer)) {
    const words = pairs.map((pair) => pair.join(' '));
    return { ...found, model: 'gpt2', merges: words, pre: nameOfRules(tokenizer, name) };
  }
  const { tokens, types } = found;
  const unknownId = tokens.indexOf(String(unknown));
  if (unknownId >= 0) types[unknownId] = TOKEN_TYPE.unknown;
  tokens.forEach((token, id) => {
    if (bytes === true && BYTE.test(token)) types[id] = TOKEN_TYPE.byte;
  });
  const isJoined = (id: number): boolean => types[id] === TOKEN_TYPE.normal || types[id] === TOKEN_TYPE.userDefined;
  const known = scoresOf(pairs as [string, string][], new Set(tokens.filter((_, id) => isJoined(id))));
  if (known === undefined) throw unwritten(name, 'no scores of pieces have its merges');
  return {
    types,
    // The converter of llama.cpp writes what a user has defined as texts have it.
    tokens: tokens.map((token, id) => (types[id] === TOKEN_TYPE.userDefined ? token.replaceAll('▁', ' ') : token)),
    model: SENTENCE_PIECE,
    scores: Float32Array.from(tokens, (token) => known.get(token) ?? -known.size),
    unknown_token_id: Math.max(0, unknownId),
    add_space_prefix: prefix,
  };
}

/** A byte as a piece. */
const BYTE = /^<0x[0-9A-F]{2}>$/;

/** Gemma's pre-tokenizer splits at blanks, and its normalizer has replaced them all. */
function splitsNothing(preTokenizer: unknown): boolean {
  const { type, pattern } = (preTokenizer ?? {}) as Json;
  return type === undefined || (type === 'Split' && (pattern as Json).String === ' ');
}

/** Characters of one byte are tokens of BPE; longer ones are matched before it. Words are tokens of Unigram. */
function closedVocabulary(tokenizer: Json, { joint, vocabSize }: Codec): Vocabulary {
  const { vocab } = tokenizer.model as Json;
  const { tokens, types } = rowsOf(vocab as Json, addedTokens(tokenizer), vocabSize);
  const rewrite = (change: (token: string, id: number) => string): void => {
    tokens.forEach((token, id) => {
      if (types[id] === TOKEN_TYPE.normal) tokens[id] = change(token, id);
    });
  };
  if (joint !== '') {
    rewrite(unigramToken);
    return { tokens, types, ...UNIGRAM_RULES };
  }
  const isOfBytes = JSON.stringify(tokenizer.pre_tokenizer).includes('"ByteLevel"');
  const shown = byteCharacters();
  if (!isOfBytes) {
    rewrite((token, id) => {
      const bytes = new TextEncoder().encode(token);
      if (bytes.length === 1) return shown[bytes[0]] as string;
      types[id] = TOKEN_TYPE.userDefined;
      return token;
    });
  }
  return { tokens, types, model: 'gpt2', merges: [], pre: 'gpt-2' };
}

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
}

function addedTokens({ added_tokens: added }: Json): readonly AddedToken[] {
  return Array.isArray(added) ? added : [];
}

/** A row without a token gets a name that no text has. */
function rowsOf(vocab: Json, added: readonly AddedToken[], rows: number): Tokens {
  const tokens = Array.from({ length: rows }, (_, id) => `[PAD${id}]`);
  const types = new Int32Array(rows).fill(TOKEN_TYPE.unused);
  for (const [token, id] of Object.entries(vocab)) {
    tokens[Number(id)] = token;
    types[Number(id)] = TOKEN_TYPE.normal;
  }
  for (const { id, content, special } of added) {
    tokens[id] = content;
    types[id] = special === true ? TOKEN_TYPE.control : TOKEN_TYPE.userDefined;
  }
  return { tokens, types };
}

function nameOfRules(tokenizer: Json, name: string): string {
  const { ignore_merges: ignoreMerges } = tokenizer.model as Json;
  const own = comparable({
    normalizer: (tokenizer.normalizer ?? null) as TextRules['normalizer'],
    preTokenizer: tokenizer.pre_tokenizer as TextRules['preTokenizer'],
    ignoreMerges: ignoreMerges === true,
  });
  const found = Object.entries(RULES).find(([, rules]) => comparable(rules) === own);
  if (found !== undefined) return found[0];
  throw unwritten(name, `it splits a text otherwise than ${Object.keys(RULES).join(', ')} do`);
}

/** The rules as a text, without what decides nothing of the ids. */
function comparable({ normalizer, preTokenizer, ignoreMerges }: TextRules): string {
  const deciding = (key: string, value: unknown): unknown => (key === 'trim_offsets' ? undefined : sorted(value));
  return JSON.stringify([normalizer, preTokenizer, ignoreMerges], deciding);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A special token as a text, or as the record that older files have of it. */
function unwritten(name: string, rule: string): DataError {
  return new DataError('tokenizer-unwritten', `${name}: its tokenizer is not written as GGUF — ${rule}.`);
}
