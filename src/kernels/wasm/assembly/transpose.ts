// Four rows become four columns.

/** Components of four rows of `length` floats, side by side: component d of the rows goes to `to` + d·stride. */
export function transposeColumns(
  a: usize, b: usize, c: usize, d: usize, length: i32, to: usize, stride: usize,
): void {
  const whole = <usize>(length & ~3) << 2;
  let at: usize = 0;
  for (; at < whole; at += 16) {
    const w = v128.load(a + at), x = v128.load(b + at), y = v128.load(c + at), z = v128.load(d + at);
    const lowWx = v128.shuffle<f32>(w, x, 0, 4, 1, 5), highWx = v128.shuffle<f32>(w, x, 2, 6, 3, 7);
    const lowYz = v128.shuffle<f32>(y, z, 0, 4, 1, 5), highYz = v128.shuffle<f32>(y, z, 2, 6, 3, 7);
    v128.store(to, v128.shuffle<f64>(lowWx, lowYz, 0, 2)), to += stride;
    v128.store(to, v128.shuffle<f64>(lowWx, lowYz, 1, 3)), to += stride;
    v128.store(to, v128.shuffle<f64>(highWx, highYz, 0, 2)), to += stride;
    v128.store(to, v128.shuffle<f64>(highWx, highYz, 1, 3)), to += stride;
  }
  for (; at < <usize>length << 2; at += 4, to += stride) {
    v128.store(to, f32x4(load<f32>(a + at), load<f32>(b + at), load<f32>(c + at), load<f32>(d + at)));
  }
}
