/** bfloat16, the upper half of float32, on the host. */

/** The bits of each value, rounded to the nearest, ties to even; NaN stays NaN. */
export function toBfloat(values: ArrayLike<number>): Uint16Array<ArrayBuffer> {
  const floats = Float32Array.from(values);
  const bits = new Uint32Array(floats.buffer);
  return Uint16Array.from(bits, (each, i) => {
    if (Number.isNaN(floats[i])) return (each >>> 16) | 0x40;
    return (each + 0x7fff + ((each >>> 16) & 1)) >>> 16;
  });
}

/** The values of bfloat16 bits, all of which float32 holds. */
export function fromBfloat(bits: Uint16Array): Float32Array<ArrayBuffer> {
  const wide = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) wide[i] = bits[i] << 16;
  return new Float32Array(wide.buffer);
}
