/**
 * Rotary position embedding (arXiv:2104.09864) of queries and keys in the half-split form, after an optional
 * RMS norm of each head, and the store of keys and values. Formulas and shapes: kernels.ts (rotary).
 */
import type { Heads, RotaryArgs } from '../kernels.ts';
import type { Opened, Values } from './operands.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { inverseRms } from './rms_norm.ts';
import { int, real, widths } from './shapes.ts';

/** `size` elements of an array from `at` on: one head of one row. */
interface Head {
  readonly values: Values;
  readonly at: number;
  readonly size: number;
}

function rotaryInputs(heads: Heads) {
  const { Q, K, half } = widths(heads);
  return {
    qkv: real('N', Q + 2 * K),
    positions: int('N'),
    cos: real('positions', half),
    sin: real('positions', half),
    kvRows: int('N'),
    qNorm: real(2 * half),
    kNorm: real(2 * half),
    rows: 'N',
  };
}

/** q = rotate(norm(q));  kv[kvRows[r]] = rotate(norm(k)), v */
export const rotary: ReferenceKernel<'rotary'> = {
  rules: ({ heads }) => ({
    ...rotaryInputs(heads),
    q: real('N', widths(heads).Q),
    kv: real('capacity', 2 * widths(heads).K),
  }),
  run(args) {
    const { qkv, kvRows, q, kv, heads, rows } = args;
    const { numHeads: H, numKvHeads: HK, headDim: hd } = heads;
    for (let r = rows.begin; r < rows.end; r++) {
      for (let h = 0; h < H; h++) {
        const from = { values: qkv, at: queryOffset(args, r, h), size: hd };
        q.set(rotated(args, r, 1, normed(from, args.qNorm, args.eps)), (r * H + h) * hd);
      }
      for (let h = 0; h < HK; h++) {
        const from = { values: qkv, at: queryOffset(args, r, H + h), size: hd };
        const keyAt = (kvRows[r] * 2 * HK + h) * hd;
        kv.set(rotated(args, r, 1, normed(from, args.kNorm, args.eps)), keyAt);
        for (let i = 0; i < hd; i++) kv[keyAt + HK * hd + i] = qkv[from.at + HK * hd + i];
      }
    }
  },
};

/** dQkv = the transposed rotation of dQ and dK, then the norm's backward; dV as it is. */
export const rotaryBackward: ReferenceKernel<'rotaryBackward'> = {
  rules: ({ heads }) => ({
    ...rotaryInputs(heads),
    dQ: real('N', widths(heads).Q),
    dKv: real('capacity', 2 * widths(heads).K),
    dQkv: real('N', widths(heads).Q + 2 * widths(heads).K),
    dQNorm: real(heads.headDim),
    dKNorm: real(heads.headDim),
  }),
  run(args) {
    const { qkv, kvRows, dQ, dKv, dQkv, heads, rows } = args;
    const { numHeads: H, numKvHeads: HK, headDim: hd } = heads;
    for (let r = rows.begin; r < rows.end; r++) {
      for (let h = 0; h < H; h++) {
        const from = { values: qkv, at: queryOffset(args, r, h), size: hd };
        const dNormed = rotated(args, r, -1, dQ.subarray((r * H + h) * hd, (r * H + h + 1) * hd));
        dQkv.set(normBackward(from, dNormed, { weight: args.qNorm, dWeight: args.dQNorm, eps: args.eps }), from.at);
      }
      for (let h = 0; h < HK; h++) {
        const from = { values: qkv, at: queryOffset(args, r, H + h), size: hd };
        const keyAt = (kvRows[r] * 2 * HK + h) * hd;
        const dNormed = rotated(args, r, -1, dKv.subarray(keyAt, keyAt + hd));
        dQkv.set(normBackward(from, dNormed, { weight: args.kNorm, dWeight: args.dKNorm, eps: args.eps }), from.at);
        for (let i = 0; i < hd; i++) dQkv[from.at + HK * hd + i] = dKv[keyAt + HK * hd + i];
      }
    }
  },
};

/** First element of head `h` in row `r` of qkv, the heads of q, k and v counted through. */
function queryOffset({ heads }: Pick<Opened<RotaryArgs>, 'heads'>, r: number, h: number): number {
  return (r * (heads.numHeads + 2 * heads.numKvHeads) + h) * heads.headDim;
}

/** (a, b) → (a·cos − b·sin, b·cos + a·sin) at the position of row r; direction −1 transposes it. */
function rotated(
  { cos, sin, positions }: Pick<Opened<RotaryArgs>, 'cos' | 'sin' | 'positions'>,
  r: number,
  direction: 1 | -1,
  head: Values,
): Float64Array {
  const half = head.length / 2;
  const out = new Float64Array(head.length);
  for (let i = 0; i < half; i++) {
    const c = cos[positions[r] * half + i];
    const s = direction * sin[positions[r] * half + i];
    out[i] = head[i] * c - head[half + i] * s;
    out[half + i] = head[half + i] * c + head[i] * s;
  }
  return out;
}

/** x·rstd·weight, or x where there is no norm. */
function normed({ values, at, size }: Head, weight: Values | undefined, eps: number): Float64Array {
  const out = new Float64Array(values.subarray(at, at + size));
  if (weight === undefined) return out;
  const rstd = inverseRms(values, at, size, eps);
  for (let i = 0; i < size; i++) out[i] *= rstd * weight[i];
  return out;
}

/** The gradient of `normed`; adds to dWeight where it is wanted. Formula: kernels.ts (rmsNormBackward). */
function normBackward(
  { values, at, size }: Head,
  dNormed: Float64Array,
  { weight, dWeight, eps }: { weight?: Values; dWeight?: Values; eps: number },
): Float64Array {
  if (weight === undefined) return dNormed;
  const rstd = inverseRms(values, at, size, eps);
  let sum = 0;
  for (let i = 0; i < size; i++) sum += dNormed[i] * weight[i] * values[at + i];
  const mean = sum / size;
  const out = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const x = values[at + i];
    out[i] = rstd * dNormed[i] * weight[i] - x * rstd ** 3 * mean;
    if (dWeight !== undefined) dWeight[i] += dNormed[i] * x * rstd;
  }
  return out;
}
