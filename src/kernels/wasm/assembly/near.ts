// Memory brought near before it is read in small pieces.
//
// A head, or a strip of a weight gradient, is some 24 to 256 bytes of each row, so that a loop over one of them waits for memory
// at every row. One sweep over the whole rows first, a word of each cache line, is what the processor foresees, and its waits
// overlap.
// Cost: a load and an addition a line.

/** Bytes of a cache line. */
const LINE: usize = 64;
/** Bytes that attention's sweep may bring: about half of a second-level cache. */
export const NEAR_BYTES: usize = 262144;

/** Touches `bytes` of each of `rows` rows; returns a sum of what it read, without which it need not be read. */
export function touchRows(at: usize, stride: usize, rows: i32, bytes: usize): i32 {
  let sum = 0;
  for (let i = 0; i < rows; i++, at += stride) {
    for (let x: usize = 0; x < bytes; x += LINE) sum += load<i32>(at + x);
  }
  return sum;
}

/** The same `bytes` of the first half and of the second half of each row, which are keys and values. */
export function touchHalves(at: usize, stride: usize, rows: i32, bytes: usize): i32 {
  const half = stride >> 1;
  let sum = 0;
  for (let i = 0; i < rows; i++, at += stride) {
    for (let x: usize = 0; x < bytes; x += LINE) sum += load<i32>(at + x);
    for (let x = half; x < half + bytes; x += LINE) sum += load<i32>(at + x);
  }
  return sum;
}
