/** float16 (IEEE 754 binary16) on the host, which Node 20 has no array of. */

/** The bits of each value, rounded to the nearest, ties to even; beyond 65504 infinite. */
export function toHalf(values: ArrayLike<number>): Uint16Array<ArrayBuffer> {
  const floats = new Float32Array(values); // `from` would hold a list of all of them: an embedding of 1 B has 262 million
  const bits = new Uint32Array(floats.buffer);
  const out = new Uint16Array(floats.length);
  for (let i = 0; i < out.length; i++) out[i] = halfOf(floats[i] as number, bits[i] as number);
  return out;
}

/** The value of float16 bits, which float32 holds. */
function halfValue(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

let everyValue: Float32Array | undefined;

/** [65536] the value of each bit pattern, made when many are asked for: weights of a model are read by it. */
export function halfValues(): Float32Array {
  everyValue ??= Float32Array.from({ length: 65_536 }, (_, half) => halfValue(half));
  return everyValue;
}

/** f16 at a byte offset that may be odd. @param halves  the value of each bit pattern */
export function halfAt(halves: Float32Array, bytes: Uint8Array, at: number): number {
  return halves[(bytes[at] as number) | ((bytes[at + 1] as number) << 8)] as number;
}

/** The values of float16 bits, all of which float32 holds. */
export function fromHalf(bits: Uint16Array): Float32Array<ArrayBuffer> {
  if (bits.length < 65_536) return Float32Array.from(bits, halfValue);
  const all = halfValues();
  const values = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) values[i] = all[bits[i]];
  return values;
}

/** Bits of float32 from which on a value rounds to infinity: 65520. */
const INFINITE_FROM = 0x477ff000;
/** 2⁻¹⁴, the smallest normal float16. */
const NORMAL_FROM = 0x38800000;

function halfOf(value: number, bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const size = bits & 0x7fffffff;
  if (Number.isNaN(value)) return sign | 0x7e00;
  if (size >= INFINITE_FROM) return sign | 0x7c00;
  if (size < NORMAL_FROM) return sign | roundedToEven(Math.abs(value) * 2 ** 24);
  // The exponent's bias falls by 112; half of what is cut off, less one where the rest is even, carries into the rest.
  return sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13);
}

function roundedToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}
