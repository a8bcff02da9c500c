/** Fill, add, copy, scale and mix. Formulas: kernels.ts (fill, add, copy, scale, mix). */
import { slotLength } from '../memory.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { elementsOf, real } from './shapes.ts';

/** out = value, in `rows` of its first dimension, or everywhere */
export const fill: ReferenceKernel<'fill'> = {
  rules: ({ out }) => ({ out: { dtype: out.dtype, shape: ['N', ...out.shape.slice(1)] }, rows: 'N' }),
  run({ out, value, rows }, { N }) {
    if (rows === undefined) out.fill(value);
    else out.fill(value, (rows.begin * out.length) / N, (rows.end * out.length) / N);
  },
};

/** out += x */
export const add: ReferenceKernel<'add'> = {
  rules: ({ out }) => ({ x: elementsOf(out), out: { dtype: 'real', elements: slotLength(out) } }),
  run({ x, out }) {
    for (let i = 0; i < out.length; i++) out[i] += x[i];
  },
};

/** out = x */
export const copy: ReferenceKernel<'copy'> = {
  rules: ({ out }) => ({ x: elementsOf(out), out: elementsOf(out) }),
  run({ x, out }) {
    out.set(x);
  },
};

/** out = factor·out, in `rows` of its first dimension */
export const scale: ReferenceKernel<'scale'> = {
  rules: ({ out }) => ({ out: { dtype: 'real', shape: ['N', ...out.shape.slice(1)] }, rows: 'N' }),
  run({ out, factor, rows }, { N }) {
    const width = out.length / N;
    for (let i = rows.begin * width; i < rows.end * width; i++) out[i] *= factor;
  },
};

/** out = share·x + (1 − share)·out */
export const mix: ReferenceKernel<'mix'> = {
  rules: ({ out }) => ({ x: elementsOf(out), share: real(1), out: { dtype: 'real', elements: slotLength(out) } }),
  run({ x, share: [share], out }) {
    for (let i = 0; i < out.length; i++) out[i] = share * x[i] + (1 - share) * out[i];
  },
};
