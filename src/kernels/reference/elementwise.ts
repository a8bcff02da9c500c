/** Fill, add, copy, scale and mix. Formulas: kernels.ts (fill, add, copy, scale, mix). */
import type { Kernels } from '../kernels.ts';
import type { Dimensions, Opened } from './operands.ts';

/** out = value, in `rows` of its first dimension, or everywhere */
export function fill({ out, value, rows }: Opened<Parameters<Kernels['fill']>[0]>, { N }: Dimensions): void {
  if (rows === undefined) out.fill(value);
  else out.fill(value, (rows.begin * out.length) / N, (rows.end * out.length) / N);
}

/** out += x */
export function add({ x, out }: Opened<Parameters<Kernels['add']>[0]>): void {
  for (let i = 0; i < out.length; i++) out[i] += x[i];
}

/** out = x */
export function copy({ x, out }: Opened<Parameters<Kernels['copy']>[0]>): void {
  out.set(x);
}

/** out = factor·out, in `rows` of its first dimension */
export function scale({ out, factor, rows }: Opened<Parameters<Kernels['scale']>[0]>, { N }: Dimensions): void {
  const width = out.length / N;
  for (let i = rows.begin * width; i < rows.end * width; i++) out[i] *= factor;
}

/** out = share·x + (1 − share)·out */
export function mix({ x, share: [share], out }: Opened<Parameters<Kernels['mix']>[0]>): void {
  for (let i = 0; i < out.length; i++) out[i] = share * x[i] + (1 - share) * out[i];
}
