// Arguments of the command at hand. `begin` and `end` are always the first two where a kernel works on rows.

/** Bytes of a word. */
export const WORD: usize = sizeof<usize>();

let at: usize = 0;
let mask: i32 = 0;

export function setCommand(command: usize): void {
  at = command + 2 * WORD;
  mask = load<i32>(command, WORD);
}

/** Argument i as an integer or address, read through its address where the host said so. */
// @ts-ignore: decorator
@inline
export function integer(i: i32): i32 {
  const word = at + (<usize>i << alignof<usize>());
  return (mask >> i) & 1 ? load<i32>(load<usize>(word)) : load<i32>(word);
}

// @ts-ignore: decorator
@inline
export function address(i: i32): usize {
  return load<usize>(at + (<usize>i << alignof<usize>()));
}

// @ts-ignore: decorator
@inline
export function float(i: i32): f32 {
  return load<f32>(at + (<usize>i << alignof<usize>()));
}
