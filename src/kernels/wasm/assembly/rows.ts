// Rows of float32: copy, add, fill. Four lanes at a time; a bulk operation of the engine costs a call for each row.

/** to = from over `bytes`, a multiple of 4; they do not overlap. */
export function copyRow(to: usize, from: usize, bytes: usize): void {
  const whole = bytes & ~15;
  let at: usize = 0;
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
