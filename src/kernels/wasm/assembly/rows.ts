// Rows of float32: copy, add, fill, scale, mix. Four lanes at a time; a bulk operation of the engine costs a call for each row.

/** to = from over `bytes`, a multiple of 4; they do not overlap. */
export function copyRow(to: usize, from: usize, bytes: usize): void {
  const lines = bytes & ~63;
  const whole = bytes & ~15;
  let at: usize = 0;
  for (; at < lines; at += 64) {
    const x = from + at, y = to + at;
    const a = v128.load(x), b = v128.load(x, 16), c = v128.load(x, 32), d = v128.load(x, 48);
    v128.store(y, a), v128.store(y, b, 16), v128.store(y, c, 32), v128.store(y, d, 48);
  }
  for (; at < whole; at += 16) v128.store(to + at, v128.load(from + at));
  for (; at < bytes; at += 4) store<i32>(to + at, load<i32>(from + at));
}

/** to += from over `bytes`, a multiple of 4. */
export function addRow(to: usize, from: usize, bytes: usize): void {
  const whole = bytes & ~15;
  let at: usize = 0;
  for (; at < whole; at += 16) v128.store(to + at, f32x4.add(v128.load(to + at), v128.load(from + at)));
  for (; at < bytes; at += 4) store<f32>(to + at, load<f32>(to + at) + load<f32>(from + at));
}

/** Every 4 bytes of `bytes`, a multiple of 4, become `word`. */
export function fillRow(to: usize, word: i32, bytes: usize): void {
  const words = i32x4.splat(word);
  const whole = bytes & ~15;
  let at: usize = 0;
  for (; at < whole; at += 16) v128.store(to + at, words);
  for (; at < bytes; at += 4) store<i32>(to + at, word);
}

/** to = factor·to over `bytes`, a multiple of 4. */
export function scaleRow(to: usize, factor: f32, bytes: usize): void {
  const factors = f32x4.splat(factor);
  const whole = bytes & ~15;
  let at: usize = 0;
  for (; at < whole; at += 16) v128.store(to + at, f32x4.mul(factors, v128.load(to + at)));
  for (; at < bytes; at += 4) store<f32>(to + at, factor * load<f32>(to + at));
}

/** to = share·from + (1 − share)·to over `bytes`, a multiple of 4; products and sum are rounded one by one. */
export function mixRow(to: usize, from: usize, share: f32, bytes: usize): void {
  const rest: f32 = 1 - share;
  const shares = f32x4.splat(share);
  const rests = f32x4.splat(rest);
  const whole = bytes & ~15;
  let at: usize = 0;
  for (; at < whole; at += 16) {
    const own = f32x4.mul(rests, v128.load(to + at));
    v128.store(to + at, f32x4.add(f32x4.mul(shares, v128.load(from + at)), own));
  }
  for (; at < bytes; at += 4) store<f32>(to + at, share * load<f32>(from + at) + rest * load<f32>(to + at));
}
