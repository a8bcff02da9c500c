// fill, add, copy, scale, mix: flat passes over a slot.
import { address, float, integer } from './arguments';
import { addRow, copyRow, fillRow, mixRow, scaleRow } from './rows';
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
    fillRow(address(2) + (<usize>i << 2), word, <usize>(last - i) << 2);
  }
}

/** arguments: length, x, out */
export function add(): void {
  const length = integer(0);
  for (let i = claim(BLOCK); i < length; i = claim(BLOCK)) {
    const count = min(BLOCK, length - i);
    addRow(address(2) + (<usize>i << 2), address(1) + (<usize>i << 2), <usize>count << 2);
  }
}

/** arguments: length, x, out */
export function copy(): void {
  const length = integer(0);
  for (let i = claim(BLOCK); i < length; i = claim(BLOCK)) {
    const count = min(BLOCK, length - i);
    copyRow(address(2) + (<usize>i << 2), address(1) + (<usize>i << 2), <usize>count << 2);
  }
}

/** arguments: begin, end, out, width, factor */
export function scale(): void {
  const width = integer(3);
  const first = integer(0) * width;
  const end = integer(1) * width;
  const factor = float(4);
  for (let i = first + claim(BLOCK); i < end; i = first + claim(BLOCK)) {
    const count = min(BLOCK, end - i);
    scaleRow(address(2) + (<usize>i << 2), factor, <usize>count << 2);
  }
}

/** arguments: length, x, share, out */
export function mix(): void {
  const length = integer(0);
  const share = load<f32>(address(2));
  for (let i = claim(BLOCK); i < length; i = claim(BLOCK)) {
    const count = min(BLOCK, length - i);
    mixRow(address(3) + (<usize>i << 2), address(1) + (<usize>i << 2), share, <usize>count << 2);
  }
}
