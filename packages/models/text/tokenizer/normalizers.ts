/** Normalizers of a tokenizer.json: what a text becomes before it is split. */
import { bytesAsLetters } from './byte_letters.ts';
import { type Json, listOf, type Normalizer, partOf } from './parts.ts';
import { replacer } from './patterns.ts';
import { precompiled } from './precompiled.ts';

/** @throws Error where it is of another kind */
export function normalizerOf(part: unknown): Normalizer {
  return (part ?? null) === null ? (text) => text : partOf('the normalizer', part as Json, NORMALIZERS);
}

/** A letter at a time, as Rust's `to_lowercase`: a sigma at the end of a word is like any other. */
const lowercase: Normalizer = (text) => text.replaceAll('Σ', 'σ').toLowerCase();

const stripAccents: Normalizer = (text) => text.replace(/\p{M}/gu, '');

const NORMALIZERS: Readonly<Record<string, (part: Json) => Normalizer>> = {
  Sequence: ({ normalizers }) => {
    const each = listOf(normalizers).map(normalizerOf);
    return (text) => each.reduce((before, normalize) => normalize(before), text);
  },
  BertNormalizer: bertNormalizer,
  ByteLevel: () => bytesAsLetters,
  Lowercase: () => lowercase,
  NFC: () => (text) => text.normalize('NFC'),
  NFD: () => (text) => text.normalize('NFD'),
  NFKC: () => (text) => text.normalize('NFKC'),
  NFKD: () => (text) => text.normalize('NFKD'),
  Nmt: () => nmt,
  Precompiled: ({ precompiled_charsmap: map }) => (typeof map === 'string' ? precompiled(map) : (text) => text),
  Prepend:
    ({ prepend }) =>
    (text) =>
      text === '' ? '' : String(prepend) + text,
  Replace: ({ pattern, content }) => replacer(pattern as Json, String(content)),
  Strip: ({ strip_left: left, strip_right: right }) => {
    return (text) => {
      const begun = left === true ? text.replace(/^\p{White_Space}+/u, '') : text;
      return right === true ? begun.replace(/\p{White_Space}+$/u, '') : begun;
    };
  },
  StripAccents: () => stripAccents,
};

/** As SentencePiece cleans the texts of machine translation. */
const nmt: Normalizer = (text) =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]/g, '')
    .replace(/[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]/g, ' ');

/** Ideographs by the ranges of BERT, which end before the newer ones. */
const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;

function bertNormalizer(part: Json): Normalizer {
  const { clean_text: cleans, handle_chinese_chars: spaces, strip_accents: strips, lowercase: lowers } = part;
  return (given) => {
    let text = given;
    if (cleans === true) {
      text = text.replace(/(?![\t\n\r])[\ufffd\p{Cc}\p{Cf}\p{Co}]/gu, '').replace(/\p{White_Space}/gu, ' ');
    }
    if (spaces === true) text = text.replace(IDEOGRAPH, ' $& ');
    if (strips ?? lowers) text = text.normalize('NFD').replace(/\p{Mn}/gu, '');
    return lowers === true ? lowercase(text) : text;
  };
}
