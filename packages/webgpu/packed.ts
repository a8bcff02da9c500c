/**
 * Frozen matrices in fewer bits, as a buffer of words holds them and as WGSL reads them.
 *
 *   bf16, f16  two to a word, the first in its low half
 *   q8_0       9 words of 32 values: d in the low half of the first, then the values as they are
 *   q4_0       5 words of 32 values, likewise
 *   q4_1       5 words of 32 values: d and m in the first
 *
 * A block of GGUF is as long but for two bytes, so that every block begins with a word. What is loaded is the value that
 * `blocks.ts` decodes, bit for bit: d·q has no more bits than a float32, so no compiler can round it otherwise, and the sum of
 * q4_1 is rounded once, fused or not. Halves are widened by integers, since a driver may take small ones for 0.
 */
import { BLOCK_BYTES, BLOCK_VALUES } from '../../src/kernels/blocks.ts';
import { ROUNDED_STORAGES, type Storage } from '../../src/kernels/storage.ts';

export type PackedStorage = (typeof ROUNDED_STORAGES)[number];

interface Packing {
  /** Values that lie together, and the words that they take. */
  readonly values: number;
  readonly words: number;
  /** Bytes of scales, before the gap, and of values, as GGUF has them; undefined where there is no gap. */
  readonly block?: { readonly scales: number; readonly bytes: number };
  /** WGSL: the value at element `at` of array `b`, and four neighbours from a multiple of 4 on. */
  one(b: string): string;
  four(b: string): string;
}

const PACKINGS: Readonly<Record<PackedStorage, Packing>> = {
  bf16: {
    values: 2,
    words: 1,
    one: (b) => `bitcast<f32>(select(${b}[at >> 1u] << 16u, ${b}[at >> 1u] & 0xffff0000u, (at & 1u) == 1u))`,
    four: (b) =>
      `bitcast<vec4f>(vec4u(${b}[at >> 1u] << 16u, ${b}[at >> 1u] & 0xffff0000u, ${b}[(at >> 1u) + 1u] << 16u, ${b}[(at >> 1u) + 1u] & 0xffff0000u))`,
  },
  f16: {
    values: 2,
    words: 1,
    one: (b) => `half_value(${b}[at >> 1u] >> (16u * (at & 1u)))`,
    four: (b) => `halves_of(vec2u(${b}[at >> 1u], ${b}[(at >> 1u) + 1u]))`,
  },
  q8_0: {
    values: BLOCK_VALUES,
    words: 9,
    block: { scales: 2, bytes: BLOCK_BYTES.q8_0 },
    one: (b) =>
      `half_value(${b}[(at >> 5u) * 9u]) * f32(extractBits(bitcast<i32>(${b}[(at >> 5u) * 9u + 1u + ((at & 31u) >> 2u)]), 8u * (at & 3u), 8u))`,
    four: (b) => `half_value(${b}[(at >> 5u) * 9u]) * signed_bytes(${b}[(at >> 5u) * 9u + 1u + ((at & 31u) >> 2u)])`,
  },
  q4_0: {
    values: BLOCK_VALUES,
    words: 5,
    block: { scales: 2, bytes: BLOCK_BYTES.q4_0 },
    one: (b) => `half_value(${b}[(at >> 5u) * 5u]) * (f32(${fourBits(b)}) - 8.0)`,
    four: (b) => `half_value(${b}[(at >> 5u) * 5u]) * (four_bits(${fourWord(b)}) - 8.0)`,
  },
  q4_1: {
    values: BLOCK_VALUES,
    words: 5,
    block: { scales: 4, bytes: BLOCK_BYTES.q4_1 },
    one: (b) => `fma(half_value(${b}[(at >> 5u) * 5u]), f32(${fourBits(b)}), half_value(${b}[(at >> 5u) * 5u] >> 16u))`,
    four: (b) =>
      `fma(vec4f(half_value(${b}[(at >> 5u) * 5u])), four_bits(${fourWord(b)}), vec4f(half_value(${b}[(at >> 5u) * 5u] >> 16u)))`,
  },
};

/** The word of four bytes that holds value `at` of a block in its low halves, or its high ones, which are shifted down. */
function fourWord(b: string): string {
  return `(${b}[(at >> 5u) * 5u + 1u + ((at & 15u) >> 2u)] >> (4u * ((at >> 4u) & 1u)))`;
}

function fourBits(b: string): string {
  return `(${fourWord(b)} >> (8u * (at & 3u))) & 15u`;
}

/** WGSL that the loads call. */
export const PACKED_HELPERS = /* wgsl */ `
fn half_value(bits: u32) -> f32 {
  let magnitude = bits & 0x7fffu;
  let value = select(bitcast<f32>((magnitude << 13u) + 0x38000000u), f32(magnitude) * 5.9604644775390625e-8, magnitude < 0x400u);
  return select(value, -value, (bits & 0x8000u) != 0u);
}
fn halves_of(words: vec2u) -> vec4f {
  return vec4f(half_value(words.x), half_value(words.x >> 16u), half_value(words.y), half_value(words.y >> 16u));
}
fn signed_bytes(word: u32) -> vec4f {
  let w = bitcast<i32>(word);
  return vec4f(vec4i(extractBits(w, 0u, 8u), extractBits(w, 8u, 8u), extractBits(w, 16u, 8u), extractBits(w, 24u, 8u)));
}
fn four_bits(word: u32) -> vec4f { return vec4f(vec4u(word, word >> 8u, word >> 16u, word >> 24u) & vec4u(15u)); }`;

/** WGSL: load_x and load4_x of an operand in array `b`. */
export function packedAccessors(name: string, b: string, storage: PackedStorage): string {
  const { one, four } = PACKINGS[storage];
  return [
    `fn load_${name}(i: u32) -> f32 { let at = P.${name} + i; return ${one(b)}; }`,
    `fn load4_${name}(i: u32) -> vec4f { let at = P.${name} + i; return ${four(b)}; }`,
  ].join('\n');
}

/** Values and bytes that lie together in the buffer. */
export function packedUnit(storage: PackedStorage): { readonly values: number; readonly bytes: number } {
  const { values, words } = PACKINGS[storage];
  return { values, bytes: 4 * words };
}

/** Whole blocks as the buffer has them. */
export function toPacked(storage: PackedStorage, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { block, words } = PACKINGS[storage];
  if (block === undefined || block.bytes === 4 * words) return bytes;
  const out = new Uint8Array((bytes.length / block.bytes) * 4 * words);
  for (let from = 0, to = 0; from < bytes.length; from += block.bytes, to += 4 * words) {
    out.set(bytes.subarray(from, from + block.scales), to);
    out.set(bytes.subarray(from + block.scales, from + block.bytes), to + 4);
  }
  return out;
}

/** The same blocks as GGUF has them. */
export function fromPacked(storage: PackedStorage, packed: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { block, words } = PACKINGS[storage];
  if (block === undefined || block.bytes === 4 * words) return packed;
  const out = new Uint8Array((packed.length / (4 * words)) * block.bytes);
  for (let from = 0, to = 0; from < packed.length; from += 4 * words, to += block.bytes) {
    out.set(packed.subarray(from, from + block.scales), to);
    out.set(packed.subarray(from + 4, from + 4 * words), to + block.scales);
  }
  return out;
}

/** How an arena of this storage is packed; undefined where it is bound as numbers. @param halves  the device has float16 */
export function packingOf(storage: Storage, halves: boolean): PackedStorage | undefined {
  if (storage === 'f16') return halves ? undefined : 'f16';
  return ROUNDED_STORAGES.find((each) => each === storage);
}
