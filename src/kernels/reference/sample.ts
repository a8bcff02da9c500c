/**
 * One token per row by inverse CDF over the kept tokens. Formulas and shapes: kernels.ts (sample).
 *
 * Filters apply in this order: top-k keeps the k largest probabilities; of these, renormalised, top-p keeps the
 * shortest prefix, largest first, whose sum reaches topP; of these, min-p keeps those with p ≥ minP·(largest p).
 * Ties go to the lower index.
 */
import { SAMPLING } from '../kernels.ts';
import { philox4x32 } from '../philox.ts';
import { entropyOf, temperedLogits } from './linear_logprob.ts';
import { logSumExpOf } from './log_sum_exp.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { int, matrix, real } from './shapes.ts';

/** The filters of a `sampling` slot. */
export interface SamplingFilters {
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

/** What is drawn for a row. */
export interface Draw {
  readonly token: number;
  readonly logprob: number;
  readonly entropy: number;
  readonly keptLogMass: number;
}

/** Temperature 0 takes the arg-max, keeps everything, and reports log-probs at temperature 1. */
export const sample: ReferenceKernel<'sample'> = {
  rules: () => ({
    hidden: real('B', 'D'),
    weight: matrix(['forward'], 'V', 'D'),
    sampling: real(SAMPLING.length),
    key: int(2),
    rolloutNumbers: int('B', 2),
    counters: int('B'),
    tokens: int('B'),
    logprobs: real('B'),
    entropies: real('B'),
    keptLogMass: real('B'),
    rows: 'B',
  }),
  run(args, { D, V }) {
    const { hidden, weight, sampling, key, rolloutNumbers, counters, rows } = args;
    const { tokens, logprobs, entropies, keptLogMass } = args;
    for (let r = rows.begin; r < rows.end; r++) {
      const row = hidden.subarray(r * D, (r + 1) * D);
      const u = temperedLogits(row, weight, V, sampling[SAMPLING.temperature] || 1);
      const counter = [counters[r], rolloutNumbers[r * 2], rolloutNumbers[r * 2 + 1], 0];
      const draw = drawToken(u, sampling, counter, key);
      tokens[r] = draw.token;
      logprobs[r] = draw.logprob;
      entropies[r] = draw.entropy;
      keptLogMass[r] = draw.keptLogMass;
    }
  },
};

/**
 * Draws a token from logits that the temperature has divided already.
 * @param sampling values of a `sampling` slot
 * @param counter  Philox counter of the row
 */
export function drawToken(
  u: Float64Array,
  sampling: ArrayLike<number>,
  counter: ArrayLike<number>,
  key: ArrayLike<number>,
): Draw {
  const isGreedy = sampling[SAMPLING.temperature] === 0;
  const filters = {
    topK: isGreedy ? 1 : sampling[SAMPLING.topK],
    topP: isGreedy ? 1 : sampling[SAMPLING.topP],
    minP: isGreedy ? 0 : sampling[SAMPLING.minP],
  };
  const masses = keptMasses(u, filters);
  const token = inverseCdf(masses, philoxUniform(counter, key));
  const logSumExp = logSumExpOf(u);
  return {
    token,
    logprob: u[token] - logSumExp,
    entropy: entropyOf(u, logSumExp),
    keptLogMass: isGreedy ? 0 : logOfKeptShare(u, masses),
  };
}

/** e^(u − max) where the filters keep the token, 0 where they do not; [V] */
export function keptMasses(u: Float64Array, { topK, topP, minP }: SamplingFilters): Float64Array {
  const max = u.reduce((a, b) => Math.max(a, b));
  const mass = u.map((value) => Math.exp(value - max));
  if (topK === 0 && topP === 1 && minP === 0) return mass;
  let kept = [...u.keys()].sort((a, b) => u[b] - u[a] || a - b);
  if (topK > 0) kept = kept.slice(0, topK);
  if (topP < 1) kept = kept.slice(0, nucleusLength(kept, mass, topP));
  if (minP > 0) kept = kept.filter((v) => mass[v] >= minP * mass[kept[0]]);
  const masses = new Float64Array(u.length);
  for (const v of kept) masses[v] = mass[v];
  return masses;
}

/** Length of the shortest prefix of `kept` that holds `topP` of its mass; at least 1. */
function nucleusLength(kept: readonly number[], mass: Float64Array, topP: number): number {
  const total = kept.reduce((sum, v) => sum + mass[v], 0);
  let reached = 0;
  for (let length = 1; length <= kept.length; length++) {
    reached += mass[kept[length - 1]];
    if (reached >= topP * total) return length;
  }
  return kept.length;
}

/** The first kept token at which the running mass exceeds uniform·total; the last kept token if none does. */
export function inverseCdf(masses: Float64Array, uniform: number): number {
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  let reached = 0;
  let last = 0;
  for (let v = 0; v < masses.length; v++) {
    if (masses[v] === 0) continue;
    reached += masses[v];
    last = v;
    if (reached > uniform * total) return v;
  }
  return last;
}

/** ⌊x/2⁸⌋·2⁻²⁴ of the first Philox word x, in [0, 1). */
export function philoxUniform(counter: ArrayLike<number>, key: ArrayLike<number>): number {
  const block = new Uint32Array(4);
  philox4x32(counter, key, block);
  return (block[0] >>> 8) * 2 ** -24;
}

/** log(kept mass / full mass); exactly 0 when everything is kept, for both sums are then the same. */
function logOfKeptShare(u: Float64Array, masses: Float64Array): number {
  const full = keptMasses(u, { topK: 0, topP: 1, minP: 0 }).reduce((sum, mass) => sum + mass, 0);
  const kept = masses.reduce((sum, mass) => sum + mass, 0);
  return Math.log(kept / full);
}
