/**
 * A vocabulary of bytes: `<pad>` 0, `<eos>` 1, then the 256 bytes of UTF-8. Any text can be written in it. Bytes that are
 * no UTF-8 decode to U+FFFD, so a verifier judges the decoded text.
 */
import type { Tokenizer } from './tokenizer.ts';
import { tokenizerConfigJSON, tokenizerJSON } from './tokenizer_json.ts';

const [PAD, EOS] = ['<pad>', '<eos>'] as const;
const SPECIALS = [PAD, EOS];
const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
const FIRST_BYTE = SPECIALS.length;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The characters that byte-level BPE shows bytes as: printable ones as themselves, others from U+0100 on. */
export function byteCharacters(): string[] {
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
  toJSON: () =>
    tokenizerJSON({
      specials: SPECIALS,
      preTokenizer: BYTE_LEVEL,
      decoder: BYTE_LEVEL,
      model: {
        vocab: Object.fromEntries([...SPECIALS, ...byteCharacters()].map((piece, id) => [piece, id])),
        merges: [],
      },
    }),
  configJSON: () => tokenizerConfigJSON(PAD, EOS),
};
