// Blocks of rows that attention's backward pass takes together: consecutive ones that read the same keys, each at least as
// far as the row before, up to BLOCK_ROWS of them, within a prefix group.
//
// Keys are numbered through both intervals of a row. Where the second begins at the end of the first, as in a group of one
// completion, they are one interval, and prompt and completion share blocks.
import { address, integer } from './arguments';
import { BLOCK_ROWS } from './sizes';

// @ts-ignore: decorator
@inline
function intervalOf(r: i32): usize {
  return address(4) + (<usize>r << 4);
}

/** Whether a row's second interval is empty, or begins where the first one ends: then both are one. */
// @ts-ignore: decorator
@inline
function isJoined(at: usize): bool {
  const end = load<i32>(at, 4);
  const next = load<i32>(at, 8);
  return load<i32>(at, 12) <= next || (next == end && load<i32>(at) <= end);
}

/** Where the one interval of a row ends whose intervals are joined. */
// @ts-ignore: decorator
@inline
function joinedEnd(at: usize): i32 {
  const end = load<i32>(at, 12);
  return end > load<i32>(at, 8) ? end : load<i32>(at, 4);
}

/** Rows from r on that read the same keys, each at least as far as the row before. */
export function rowsTogether(r: i32, groupEnd: i32): i32 {
  const first = intervalOf(r);
  const begin = load<i32>(first);
  const begin1 = load<i32>(first, 8);
  const end = intervalOf(min(groupEnd, r + BLOCK_ROWS));
  // Where several heads read one kv head, rows come block by block and head by head: longer blocks were another order.
  const mayJoin = integer(5) == integer(6);
  isOne = mayJoin && isJoined(first);
  let at = first + 16;
  for (; at < end && load<i32>(at) == begin; at += 16) {
    if (mayJoin && isJoined(at) != isOne) break;
    if (isOne) {
      if (joinedEnd(at) < joinedEnd(at - 16)) break;
    } else if (load<i32>(at, 8) != begin1) break;
    else if (load<i32>(at, 4) < load<i32>(at - 16, 4) || load<i32>(at, 12) < load<i32>(at - 16, 12)) break;
  }
  return <i32>((at - first) >> 4);
}

// The block at hand: first kv rows of both intervals, and how many keys its last row, which reads most, has of each.
/** Its rows' intervals are joined: keys0 has all keys. */
export let isOne: bool = false;
export let begin0: i32 = 0;
export let begin1: i32 = 0;
export let keys0: i32 = 0;
export let keys1: i32 = 0;

export function readIntervals(r: i32, rows: i32): void {
  const last = intervalOf(r + rows - 1);
  begin0 = load<i32>(last);
  begin1 = load<i32>(last, 8);
  keys0 = firstKeys(r + rows - 1);
  keys1 = secondKeys(r + rows - 1);
}

/** Keys that row r reads of its first interval, and of its second. */
// @ts-ignore: decorator
@inline
export function firstKeys(r: i32): i32 {
  const at = intervalOf(r);
  return max(0, (isOne ? joinedEnd(at) : load<i32>(at, 4)) - begin0);
}

// @ts-ignore: decorator
@inline
export function secondKeys(r: i32): i32 {
  return isOne ? 0 : max(0, load<i32>(intervalOf(r), 12) - begin1);
}

/** Keys of a row, counted from the block's first: one past the last that it reads. */
// @ts-ignore: decorator
@inline
export function reach(r: i32): i32 {
  const second = secondKeys(r);
  return second > 0 ? keys0 + second : firstKeys(r);
}
