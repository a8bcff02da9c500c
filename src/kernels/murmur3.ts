/**
 * MurmurHash3 x86_128 (Austin Appleby, public domain algorithm): 128 bits of any text, well mixed and cheap.
 * Used for split membership and for the keys of random streams; not a cryptographic hash.
 */

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

const encoder = new TextEncoder();
/** Grows to the longest text seen, so that hashing a key does not allocate. */
let scratch = new Uint8Array(1024);

function rotateLeft(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}

function finalMix(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function readWord(bytes: Uint8Array, offset: number): number {
  return bytes[offset] | (bytes[offset + 1] << 8) | (bytes[offset + 2] << 16) | (bytes[offset + 3] << 24);
}

/** Up to four bytes from `offset`, little-endian; bytes at or past `end` read as zero. */
function readPartialWord(bytes: Uint8Array, offset: number, end: number): number {
  let word = 0;
  for (let i = Math.min(end, offset + 4) - 1; i >= offset; i--) word = (word << 8) | bytes[i];
  return word;
}

/**
 * Hashes `bytes[0, length)`.
 *
 * @param out  Uint32Array(4), written: the four 32-bit words of the digest, in the order of the reference code
 */
export function murmur3(bytes: Uint8Array, length: number, seed: number, out: Uint32Array): void {
  let h1 = seed | 0;
  let h2 = h1;
  let h3 = h1;
  let h4 = h1;
  const tail = length & ~15;

  for (let offset = 0; offset < tail; offset += 16) {
    h1 ^= Math.imul(rotateLeft(Math.imul(readWord(bytes, offset), C1), 15), C2);
    h1 = (Math.imul(rotateLeft(h1, 19) + h2, 5) + 0x561ccd1b) | 0;
    h2 ^= Math.imul(rotateLeft(Math.imul(readWord(bytes, offset + 4), C2), 16), C3);
    h2 = (Math.imul(rotateLeft(h2, 17) + h3, 5) + 0x0bcaa747) | 0;
    h3 ^= Math.imul(rotateLeft(Math.imul(readWord(bytes, offset + 8), C3), 17), C4);
    h3 = (Math.imul(rotateLeft(h3, 15) + h4, 5) + 0x96cd1c35) | 0;
    h4 ^= Math.imul(rotateLeft(Math.imul(readWord(bytes, offset + 12), C4), 18), C1);
    h4 = (Math.imul(rotateLeft(h4, 13) + h1, 5) + 0x32ac3b17) | 0;
  }

  // A missing word is zero and leaves its lane alone, so the tail needs no branches.
  h4 ^= Math.imul(rotateLeft(Math.imul(readPartialWord(bytes, tail + 12, length), C4), 18), C1);
  h3 ^= Math.imul(rotateLeft(Math.imul(readPartialWord(bytes, tail + 8, length), C3), 17), C4);
  h2 ^= Math.imul(rotateLeft(Math.imul(readPartialWord(bytes, tail + 4, length), C2), 16), C3);
  h1 ^= Math.imul(rotateLeft(Math.imul(readPartialWord(bytes, tail, length), C1), 15), C2);

  h1 ^= length;
  h2 ^= length;
  h3 ^= length;
  h4 ^= length;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = finalMix((h2 + h1) | 0);
  h3 = finalMix((h3 + h1) | 0);
  h4 = finalMix((h4 + h1) | 0);
  h1 = (finalMix(h1) + h2 + h3 + h4) | 0;
  out[0] = h1;
  out[1] = h2 + h1;
  out[2] = h3 + h1;
  out[3] = h4 + h1;
}

/**
 * Hashes the UTF-8 form of a text with seed 0; a lone surrogate counts as U+FFFD. Allocates only when the text
 * is longer than any before it.
 *
 * @param out  Uint32Array(4), written
 */
export function murmur3OfText(text: string, out: Uint32Array): void {
  // UTF-8 needs at most three bytes for one UTF-16 unit.
  if (scratch.length < text.length * 3) scratch = new Uint8Array(text.length * 6);
  const { written } = encoder.encodeInto(text, scratch);
  murmur3(scratch, written, 0, out);
}
