/**
 * A vocabulary of bytes: `<pad>` 0, `<eos>` 1, then the 256 bytes of UTF-8. Any text can be written in it. Bytes that are
 * no UTF-8 decode to U+FFFD, so a verifier judges the decoded text.
 */
import type { Tokenizer } from './tokenizer.ts';

const SPECIALS = ['<pad>', '<eos>'];
const FIRST_BYTE = SPECIALS.length;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The characters that byte-level BPE shows bytes as: printable ones as themselves, others from U+0100 on. */
function byteCharacters(): string[] {
  const isShown = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isShown(byte) ? byte : next++));
}

function encode(text: string): Int32Array {
  return Int32Array.from(encoder.encode(text), (byte) => byte + FIRST_BYTE);
}

function decode(tokens: ArrayLike<number>): string {
  const texts: string[] = [];
  let bytes: number[] = [];
  const flush = (): void => {
    if (bytes.length > 0) texts.push(decoder.decode(Uint8Array.from(bytes)));
    bytes = [];
  };
  for (const id of Array.from(tokens)) {
    if (id >= FIRST_BYTE) bytes.push(id - FIRST_BYTE);
    else {
      flush();
      texts.push(SPECIALS[id] ?? '');
    }
  }
  flush();
  return texts.join('');
}

/** The one of all data sets, so that several of them have one vocabulary. */
export const byteTokenizer: Tokenizer = {
  vocabSize: FIRST_BYTE + 256,
  padTokenId: 0,
  eosTokenId: 1,
  encode,
  decode,
  tokenText: (id) => decode([id]),
  toJSON: () => ({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIALS.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries([...SPECIALS, ...byteCharacters()].map((piece, id) => [piece, id])),
      merges: [],
    },
  }),
  configJSON: () => ({
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: SPECIALS[0],
    eos_token: SPECIALS[1],
    clean_up_tokenization_spaces: false,
    add_bos_token: false,
    add_eos_token: false,
    model_input_names: ['input_ids', 'attention_mask'],
  }),
};
