// embedding and its backward. Formulas: kernels.ts. Copies of D floats; the backward has one owner per token.
import { address, integer } from './arguments';
import { addRow, copyRow } from './rows';
import { PACKED } from './sizes';
import { storedRowBytes, widen } from './stored';
import { claim, grainOf } from './threads';

/** arguments: begin, end, tokens, table, D, out, form of the table, where it is stored */
export function embedding(): void {
  const end = integer(1);
  const D = integer(4);
  const bytes = <usize>D << 2;
  const form = integer(6);
  const storedBytes = storedRowBytes(form, D);
  const begin = integer(0);
  const grain = grainOf(end - begin, 64);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) {
      const token = load<i32>(address(2) + (<usize>r << 2));
      const out = address(5) + <usize>r * bytes;
      if (form == PACKED) copyRow(out, address(3) + <usize>token * bytes, bytes);
      else widen(form, address(3) + <usize>token * storedBytes, 0, D, out);
    }
  }
}

/** arguments: buckets, dOut, sortedRows, bucketTokens, bucketOffsets, D, dTable */
export function embeddingBackward(): void {
  const buckets = integer(0);
  const D = integer(5);
  const bytes = <usize>D << 2;
  for (let b = claim(1); b < buckets; b = claim(1)) {
    const token = load<i32>(address(3) + (<usize>b << 2));
    const out = address(6) + <usize>token * bytes;
    const end = load<i32>(address(4) + (<usize>b << 2), 4);
    for (let i = load<i32>(address(4) + (<usize>b << 2)); i < end; i++) {
      addRow(out, address(1) + <usize>load<i32>(address(2) + (<usize>i << 2)) * bytes, bytes);
    }
  }
}
