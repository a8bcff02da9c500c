/** Fill, add, copy, scale and mix. Formulas: ../kernels.ts (fill, add, copy, scale, mix). */
import * as tf from '@tensorflow/tfjs';
import type { Kernels } from '../../../src/kernels/kernels.ts';
import type { Opened } from './operands.ts';

/** out = value, in `rows` of its first dimension, or everywhere */
export function fill({ out, value, rows }: Opened<Parameters<Kernels['fill']>[0]>): void {
  const range = rows ?? { begin: 0, end: out.shape[0] };
  if (out.dtype === 'int') {
    const rowLength = out.ints.length / out.shape[0];
    out.ints.fill(value, range.begin * rowLength, range.end * rowLength);
  } else if (value === 0) {
    out.clear(range);
  } else {
    out.set(tf.fill([range.end - range.begin, ...out.shape.slice(1)], value), range);
  }
}

/** out += x */
export function add({ x, out }: Opened<Parameters<Kernels['add']>[0]>): void {
  out.add(tf.reshape(x.tensor(), [...out.shape]));
}

/** out = x */
export function copy({ x, out }: Opened<Parameters<Kernels['copy']>[0]>): void {
  if (out.dtype === 'int') out.ints.set(x.ints);
  else out.set(x.tensor());
}

/** out = factor·out, in `rows` of its first dimension */
export function scale({ out, factor, rows }: Opened<Parameters<Kernels['scale']>[0]>): void {
  out.set(tf.mul(out.tensor(rows), factor), rows);
}

/** out = share·x + (1 − share)·out */
export function mix({ x, share, out }: Opened<Parameters<Kernels['mix']>[0]>): void {
  const part = share.tensor();
  const kept = tf.mul(out.tensor(), tf.sub(1, part));
  out.set(tf.add(tf.mul(tf.reshape(x.tensor(), [...out.shape]), part), kept));
}
