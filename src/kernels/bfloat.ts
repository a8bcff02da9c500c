/** bfloat16, the upper half of float32, on the host. */

/** The bits of each value, rounded to the nearest, ties to even; NaN stays NaN. */
export function toBfloat(values: ArrayLike<number>): Uint16Array<ArrayBuffer> {
  const floats = new Float32Array(values); // `from` would hold a list of all of them: an embedding of 1 B has 262 million
  const bits = new Uint32Array(floats.buffer);
  const out = new Uint16Array(floats.length);
  for (let i = 0; i < out.length; i++) {
    const each = bits[i] as number;
    const isNumber = !Number.isNaN(floats[i]);
    out[i] = isNumber ? (each + 0x7fff + ((each >>> 16) & 1)) >>> 16 : (each >>> 16) | 0x40;
  }
  return out;
}

/** The values of bfloat16 bits, all of which float32 holds. */
export function fromBfloat(bits: Uint16Array): Float32Array<ArrayBuffer> {
  const wide = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) wide[i] = bits[i] << 16;
  return new Float32Array(wide.buffer);
}
