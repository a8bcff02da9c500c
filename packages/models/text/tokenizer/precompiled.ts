/**
 * The map of characters that SentencePiece compiles its normalization to: a double-array trie (Darts) of UTF-8 keys, whose
 * values are places in a row of texts that end with a zero byte.
 */
import type { Normalizer } from './parts.ts';

/** A grapheme of as many bytes or more is looked up by its characters alone. */
const MOST_BYTES = 6;

/** @param map  base64 @throws Error where it is none */
export function precompiled(map: string): Normalizer {
  const bytes = Uint8Array.from(atob(map), (letter) => letter.charCodeAt(0));
  const size = bytes.length < 4 ? 0 : new DataView(bytes.buffer).getUint32(0, true);
  if (size % 4 !== 0 || 4 + size > bytes.length) throw new Error('its precompiled_charsmap is damaged');
  const trie = new Uint32Array(bytes.buffer.slice(4, 4 + size));
  const texts = bytes.subarray(4 + size);
  const utf8 = new TextEncoder();
  /** What a text becomes, by the shortest key that it begins with: the library takes the first, whatever follows. */
  const mapped = (key: Uint8Array): string | undefined => {
    let node = offsetOf(trie[0]);
    for (const byte of key) {
      if (byte === 0) return undefined;
      node ^= byte;
      const unit = trie[node];
      if (unit === undefined || (unit & 0x8000_00ff) !== byte) return undefined;
      node ^= offsetOf(unit);
      if ((unit & 0x100) !== 0) {
        const begin = trie[node] & 0x7fff_ffff;
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(texts.subarray(begin, texts.indexOf(0, begin)));
      }
    }
    return undefined;
  };
  const known = new Map<string, string | undefined>();
  const lookUp = (text: string): string | undefined => {
    if (!known.has(text)) known.set(text, mapped(utf8.encode(text)));
    return known.get(text);
  };
  const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
  return (text) => {
    let normalized = '';
    for (const { segment } of graphemes.segment(text)) {
      const whole = utf8.encode(segment).length < MOST_BYTES ? lookUp(segment) : undefined;
      if (whole !== undefined) normalized += whole;
      else for (const character of segment) normalized += lookUp(character) ?? character;
    }
    return normalized;
  };
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}
