/**
 * Attention of each row over the keys of its two intervals, with grouped heads. Formulas and shapes: kernels.ts
 * (attention). A row of `kv` holds the HK keys, then the HK values.
 */
import type { AttentionBackwardArgs, Heads } from '../kernels.ts';
import { dot } from './linear.ts';
import { logSumExpOf } from './log_sum_exp.ts';
import type { Opened, Values } from './operands.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { int, real, widths } from './shapes.ts';

function attentionInputs(heads: Heads) {
  const { Q, K } = widths(heads);
  return {
    q: real('N', Q),
    kv: real('capacity', 2 * K),
    intervals: int('N', 2, 2),
    out: real('N', Q),
    logSumExp: real('N', heads.numHeads),
  };
}

/** out[r, h] = Σ_j softmax_j(scale·q[r, h]·k_j) v_j */
export const attention: ReferenceKernel<'attention'> = {
  rules: ({ heads }) => ({ ...attentionInputs(heads), rows: 'N' }),
  run(args) {
    const { q, kv, intervals, out, logSumExp, scale, heads, rows } = args;
    const { numHeads: H, headDim: hd } = heads;
    for (let r = rows.begin; r < rows.end; r++) {
      const keys = keysOf(intervals, r);
      for (let h = 0; h < H; h++) {
        const queryAt = (r * H + h) * hd;
        const scores = keys.map((j) => scale * dot(q, queryAt, kv, keyOffset(heads, j, h), hd));
        const total = logSumExpOf(scores);
        logSumExp[r * H + h] = total;
        for (let i = 0; i < hd; i++) {
          let sum = 0;
          keys.forEach((j, place) => {
            sum += Math.exp(scores[place] - total) * kv[valueOffset(heads, j, h) + i];
          });
          out[queryAt + i] = sum;
        }
      }
    }
  },
};

/** Rows of all prefix groups in order; for each: p_j, ds_j, then dQ, dK_j and dV_j. */
export const attentionBackward: ReferenceKernel<'attentionBackward'> = {
  rules: ({ heads }) => ({
    ...attentionInputs(heads),
    dOut: real('N', widths(heads).Q),
    prefixGroups: int('prefixGroups+1'),
    prefixGroupCount: 'prefixGroups',
    dQ: real('N', widths(heads).Q),
    dKv: real('capacity', 2 * widths(heads).K),
  }),
  run(args) {
    const { intervals, prefixGroups, prefixGroupCount, heads } = args;
    for (let group = 0; group < prefixGroupCount; group++) {
      for (let r = prefixGroups[group]; r < prefixGroups[group + 1]; r++) {
        const keys = keysOf(intervals, r);
        for (let h = 0; h < heads.numHeads; h++) headBackward(args, r, h, keys);
      }
    }
  },
};

/** ds_j = p_j·(dOut·v_j − dOut·out);  dQ = scale·Σ ds_j k_j;  dK_j += scale·ds_j q;  dV_j += p_j dOut */
function headBackward(args: Opened<AttentionBackwardArgs>, r: number, h: number, keys: readonly number[]): void {
  const { q, kv, out, logSumExp, scale, heads, dOut, dQ, dKv } = args;
  const { numHeads: H, headDim: hd } = heads;
  const queryAt = (r * H + h) * hd;
  const dOutDotOut = dot(dOut, queryAt, out, queryAt, hd);
  dQ.fill(0, queryAt, queryAt + hd);
  for (const j of keys) {
    const keyAt = keyOffset(heads, j, h);
    const valueAt = valueOffset(heads, j, h);
    const p = Math.exp(scale * dot(q, queryAt, kv, keyAt, hd) - logSumExp[r * H + h]);
    const ds = p * (dot(dOut, queryAt, kv, valueAt, hd) - dOutDotOut);
    for (let i = 0; i < hd; i++) {
      dQ[queryAt + i] += scale * ds * kv[keyAt + i];
      dKv[keyAt + i] += scale * ds * q[queryAt + i];
      dKv[valueAt + i] += p * dOut[queryAt + i];
    }
  }
}

/** The kv rows that row r attends to: its first interval, then its second. */
function keysOf(intervals: Values, r: number): number[] {
  const keys: number[] = [];
  for (let j = intervals[r * 4]; j < intervals[r * 4 + 1]; j++) keys.push(j);
  for (let j = intervals[r * 4 + 2]; j < intervals[r * 4 + 3]; j++) keys.push(j);
  return keys;
}

/** First element of the key that query head h reads in kv row j. */
function keyOffset({ numHeads: H, numKvHeads: HK, headDim: hd }: Heads, j: number, h: number): number {
  return (j * 2 * HK + Math.floor((h * HK) / H)) * hd;
}

function valueOffset(heads: Heads, j: number, h: number): number {
  return keyOffset(heads, j, h) + heads.numKvHeads * heads.headDim;
}
