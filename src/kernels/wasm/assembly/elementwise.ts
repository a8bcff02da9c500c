// fill, add, copy: flat passes over a slot.
import { address, integer } from './arguments';
import { claim } from './threads';

const BLOCK: i32 = 4096;

/** arguments: begin, end, out, width, value (the bits of a float, or an integer) */
export function fill(): void {
  const width = integer(3);
  const first = integer(0) * width;
  const end = integer(1) * width;
  const word = integer(4);
  for (let i = first + claim(BLOCK); i < end; i = first + claim(BLOCK)) {
    const last = min(i + BLOCK, end);
    for (let j = i; j < last; j++) store<i32>(address(2) + (<usize>j << 2), word);
  }
}

/** arguments: length, x, out */
export function add(): void {
  const length = integer(0);
  for (let i = claim(BLOCK); i < length; i = claim(BLOCK)) {
    const last = min(i + BLOCK, length);
    for (let j = i; j < last; j++) {
      const at = <usize>j << 2;
      store<f32>(address(2) + at, load<f32>(address(2) + at) + load<f32>(address(1) + at));
    }
  }
}

/** arguments: length, x, out */
export function copy(): void {
  const length = integer(0);
  for (let i = claim(BLOCK); i < length; i = claim(BLOCK)) {
    const count = min(BLOCK, length - i);
    memory.copy(address(2) + (<usize>i << 2), address(1) + (<usize>i << 2), <usize>count << 2);
  }
}
