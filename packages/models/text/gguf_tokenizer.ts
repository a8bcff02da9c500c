/**
 * The tokenizer of a GGUF file, written again as tokenizer.json: byte-level BPE, whose way to split a text is named by
 * `tokenizer.ggml.pre`; SentencePiece's BPE; or a closed vocabulary of words.
 */

import { DataError } from '../../../src/errors.ts';
import { bpeModel, splitAt } from '../../../src/text/tokenizer_json.ts';
import { SENTENCE_PIECE, sentencePiece, TOKEN_TYPE } from './gguf_sentencepiece.ts';
import { UNIGRAM, unigramWords } from './gguf_words.ts';
import { patternOfText } from './pattern_of_text.ts';
import type { TokenizerFiles } from './pretrained_codec.ts';
import { bytesAsLetters, bytesOfLetters } from './tokenizer/byte_letters.ts';

type Part = Readonly<Record<string, unknown>>;

const BYTE_LEVEL: Part = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
const GPT2: Part = { ...BYTE_LEVEL, use_regex: true };
const split = (pattern: string): Part => ({
  type: 'Sequence',
  pretokenizers: [splitAt(pattern), BYTE_LEVEL],
});
const words = (digits: string): string =>
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" +
  `${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

/** How a text becomes pieces. */
export interface TextRules {
  readonly normalizer: Part | null;
  readonly preTokenizer: Part;
  readonly ignoreMerges: boolean;
}

const SMOLLM: TextRules = {
  normalizer: null,
  preTokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Digits', individual_digits: true }, GPT2] },
  ignoreMerges: false,
};
const LLAMA3: TextRules = { normalizer: null, preTokenizer: split(words('\\p{N}{1,3}')), ignoreMerges: true };

/** By `tokenizer.ggml.pre`. */
export const RULES: Readonly<Record<string, TextRules>> = {
  'gpt-2': { normalizer: null, preTokenizer: GPT2, ignoreMerges: false },
  smollm: SMOLLM,
  qwen2: { normalizer: { type: 'NFC' }, preTokenizer: split(words('\\p{N}')), ignoreMerges: false },
  'llama-bpe': LLAMA3,
  llama3: LLAMA3,
};

/**
 * @param metadata  of the GGUF file
 * @param file  the model's name, for messages
 * @throws DataError where the tokenizer is missing, or of another kind
 */
export function ggufTokenizer(metadata: ReadonlyMap<string, unknown>, file: string): TokenizerFiles {
  const get = (key: string): unknown => metadata.get(`tokenizer.ggml.${key}`);
  const model = get('model');
  const types = get('token_type');
  const kinds = Array.isArray(types) ? types : [];
  const allTokens = (): readonly string[] => texts(get('tokens'), `${file}: tokenizer.ggml.tokens`);
  const closed = model === UNIGRAM ? unigramWords(allTokens(), kinds, file) : undefined;
  if (closed !== undefined) return closed;
  const isPieces = model === SENTENCE_PIECE;
  if (model !== 'gpt2' && !isPieces) {
    const given = model === undefined ? 'is missing' : JSON.stringify(model);
    const rule = `gpt2 (byte-level BPE) and ${SENTENCE_PIECE} (SentencePiece) are read`;
    throw unread(`${file}: tokenizer.ggml.model ${given}`, `${rule}; take the folder that has its tokenizer.json`);
  }
  const tokens = allTokens();
  const parts = isPieces ? sentencePiece(get, tokens, kinds, file) : byteLevel(get, tokens, kinds, file);
  const defaults: Readonly<Record<string, number>> = isPieces ? { bos: 1, eos: 2 } : {};
  const id = (name: string): number | undefined => {
    const value = get(`${name}_token_id`) ?? defaults[name];
    return typeof value === 'number' ? value : undefined;
  };
  const text = (name: string): string | undefined => tokens[id(name) ?? -1];
  const template = metadata.get('tokenizer.chat_template');
  const ends = ['eos', 'eot', 'eom'].flatMap((name) => id(name) ?? []);
  return {
    source: file,
    eosTokenIds: [...new Set(ends)],
    chatTemplate: typeof template === 'string' ? template : undefined,
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      add_bos_token: (get('add_bos_token') ?? isPieces) === true,
      ...(text('bos') !== undefined && { bos_token: text('bos') }),
      ...(text('eos') !== undefined && { eos_token: text('eos') }),
      ...(text('padding') !== undefined && { pad_token: text('padding') }),
      clean_up_tokenization_spaces: false,
      ...(typeof template === 'string' && { chat_template: template }),
    },
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: tokens.flatMap((content, index) => addedToken(content, index, kinds[index])),
      post_processor: null,
      ...parts,
    },
  };
}

/** Byte-level BPE. @throws DataError where the file names another way to split a text */
function byteLevel(
  get: (key: string) => unknown,
  tokens: readonly string[],
  kinds: readonly unknown[],
  file: string,
): Part {
  const pre = get('pre');
  if (typeof pre !== 'string' || !Object.hasOwn(RULES, pre)) {
    throw unread(`${file}: tokenizer.ggml.pre ${JSON.stringify(pre)}`, `${Object.keys(RULES).join(', ')} are read`);
  }
  const { normalizer, preTokenizer, ignoreMerges } = RULES[pre];
  return {
    normalizer,
    pre_tokenizer: preTokenizer,
    decoder: decoderOf(tokens.filter((token, id) => kinds[id] === TOKEN_TYPE.userDefined && isMistaken(token))),
    model: bpeModel({
      vocab: Object.fromEntries(tokens.map((token, index) => [token, index])),
      merges: texts(get('merges'), `${file}: tokenizer.ggml.merges`),
      ignoreMerges,
    }),
  };
}

/** Whether a user's token is the letters of other bytes, as `é` is; llama.cpp has its text as it is. */
function isMistaken(token: string): boolean {
  return new TextDecoder().decode(Uint8Array.from(bytesOfLetters(token))) !== token;
}

/** @param mistaken  what is written as the letters of its own bytes first */
function decoderOf(mistaken: readonly string[]): Part {
  const decoder = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true };
  if (mistaken.length === 0) return decoder;
  const asLetters = mistaken.map((token) => ({
    type: 'Replace',
    pattern: { Regex: `^${patternOfText(token)}$` },
    content: bytesAsLetters(token),
  }));
  return { type: 'Sequence', decoders: [...asLetters, decoder] };
}

function addedToken(content: string, id: number, kind: unknown): Part[] {
  const isControl = kind === TOKEN_TYPE.control || kind === TOKEN_TYPE.unknown;
  if (!isControl && kind !== TOKEN_TYPE.userDefined) return [];
  return [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: isControl }];
}

function texts(value: unknown, place: string): readonly string[] {
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value;
  throw unread(place, 'must be a list of texts');
}

function unread(place: string, rule: string): DataError {
  return new DataError('tokenizer-unsupported', `${place} — ${rule}.`);
}
