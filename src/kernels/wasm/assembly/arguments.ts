// Arguments of the command at hand. `begin` and `end` are always the first two where a kernel works on rows.

let at: usize = 0;
let mask: i32 = 0;

export function setCommand(command: usize): void {
  at = command + 8;
  mask = load<i32>(command, 4);
}

/** Argument i as an integer or address, read through its address where the host said so. */
// @ts-ignore: decorator
@inline
export function integer(i: i32): i32 {
  const word = load<i32>(at + (<usize>i << 2));
  return (mask >> i) & 1 ? load<i32>(<usize>word) : word;
}

// @ts-ignore: decorator
@inline
export function address(i: i32): usize {
  return <usize>load<i32>(at + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
export function float(i: i32): f32 {
  return load<f32>(at + (<usize>i << 2));
}
