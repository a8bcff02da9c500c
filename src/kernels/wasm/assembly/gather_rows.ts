// gatherRows and its backward. Formulas: kernels.ts.
import { address, integer } from './arguments';
import { addRow, copyRow, fillRow } from './rows';
import { claim, grainOf } from './threads';

/** arguments: begin, end, x, index, bytes of a row, out, places (0: none) */
export function gatherRows(): void {
  const begin = integer(0);
  const end = integer(1);
  const bytes = <usize>integer(4);
  const places = address(6);
  const grain = grainOf(end - begin, 64);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) {
      const from = <usize>load<i32>(address(3) + (<usize>r << 2));
      const to = places == 0 ? r : load<i32>(places + (<usize>r << 2));
      copyRow(address(5) + <usize>to * bytes, address(2) + from * bytes, bytes);
    }
  }
}

/** arguments: begin, end, dOut, offsets, D, dX */
export function gatherRowsBackward(): void {
  const begin = integer(0);
  const end = integer(1);
  const bytes = <usize>integer(4) << 2;
  const grain = grainOf(end - begin, 64);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) {
      const offsets = address(3) + (<usize>r << 2);
      const dX = address(5) + <usize>r * bytes;
      const first = load<i32>(offsets);
      const past = load<i32>(offsets, 4);
      if (first == past) {
        fillRow(dX, 0, bytes);
        continue;
      }
      copyRow(dX, address(2) + <usize>first * bytes, bytes);
      for (let s = first + 1; s < past; s++) addRow(dX, address(2) + <usize>s * bytes, bytes);
    }
  }
}
