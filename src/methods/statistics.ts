/**
 * Evaluation statistics: accuracy, mean@k and pass@k over held-out problems, each with a 95 % interval.
 *
 * Problems are independent, samples of one problem are not: so every interval counts problems. Greedy accuracy has one
 * outcome per problem and takes Wilson's interval; mean@k and pass@k have one value per problem and take the normal
 * interval over those values (samples clustered by problem), except where no problem differs from the next.
 *
 * Problems that a task asks more often weigh more. n problems of weights w then tell as much as
 * (Σ w)² / Σ w² of equal ones (Kish 1965, Survey Sampling, §11.2).
 */
import { DataError } from '../errors.ts';

/** A mean over problems with its 95 % interval, all in [0, 1]. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Problems that it is taken over. */
  readonly count: number;
}

const Z95 = 1.959963984540054; // 97.5 % quantile of the standard normal distribution

/**
 * Unbiased probability that at least one of k samples is correct: 1 − C(n − c, k) / C(n, k), as the product
 * 1 − ∏ (1 − k / i) over i = n − c + 1 … n, which never forms the large binomials.
 *
 * @param samples  n, completions of the problem
 * @param correct  c, how many of them are correct; 0 to n
 * @param k        1 to n
 * @throws DataError `pass-at-k` outside those ranges
 * @see Chen et al. 2021, arXiv:2107.03374, §2.1
 */
export function passAtK(samples: number, correct: number, k: number): number {
  if (!(Number.isInteger(k) && k >= 1 && k <= samples)) {
    const remedy = 'use 1 to the number of samples, or raise num_generations_eval';
    throw new DataError('pass-at-k', `pass@k: k = ${k} — needs k samples of a problem, has ${samples}; ${remedy}.`, {
      samples,
      k,
    });
  }
  if (!(Number.isInteger(correct) && correct >= 0 && correct <= samples)) {
    const message = `pass@k: correct = ${correct} — must be from 0 to the number of samples (${samples}); count again.`;
    throw new DataError('pass-at-k', message, { samples, correct });
  }
  if (samples - correct < k) return 1; // every choice of k samples holds a correct one
  let allWrong = 1;
  for (let i = samples - correct + 1; i <= samples; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

/**
 * Mean over problems of pass@k; k = 1 gives mean@n, the sampled accuracy.
 *
 * @param correct  [problems], correct samples of each
 * @param samples  n, the same for each problem
 * @param weights  [problems], above 0; all alike where absent
 * @throws DataError `pass-at-k`, and `no-problems` where there are none
 */
export function meanPassAtK(
  correct: ArrayLike<number>,
  samples: number,
  k: number,
  weights?: ArrayLike<number>,
): Estimate {
  return meanOverProblems(
    Float64Array.from(correct, (count) => passAtK(samples, count, k)),
    weights,
  );
}

/**
 * Mean of one value per problem: m ± 1.96 · √(Σ w² (x − m)² · n / (n − 1)) / Σ w, clipped to [0, 1]; for equal weights
 * m ± 1.96 · s / √n. Problems that all agree show no spread, and m ± 0 would be too sure: they get Wilson's interval of
 * n outcomes of mean m, as `shareSolved` gives it to problems that are all failed or all solved. A single problem says
 * nothing about the spread and gets [0, 1].
 *
 * @param values   [problems], each in [0, 1]
 * @param weights  [problems], above 0; all alike where absent
 * @throws DataError `no-problems`
 */
export function meanOverProblems(values: ArrayLike<number>, weights?: ArrayLike<number>): Estimate {
  const count = values.length;
  requireProblems(count);
  const { mean, total, effective } = weighted(values, weights);
  if (count === 1) return { mean, low: 0, high: 1, count };
  if (allEqual(values)) return { ...wilson(values[0], effective), count };
  let squares = 0;
  for (let i = 0; i < count; i++) squares += ((weights?.[i] ?? 1) * (values[i] - mean)) ** 2;
  const half = (Z95 * Math.sqrt((squares * count) / (count - 1))) / total;
  return { mean, low: Math.max(0, mean - half), high: Math.min(1, mean + half), count };
}

/**
 * Share of problems solved, one outcome each (greedy accuracy), with Wilson's score interval: honest near 0 and 1.
 * Centre (p + z²/2n) / (1 + z²/n), half-width z · √(p(1 − p)/n + z²/4n²) / (1 + z²/n).
 *
 * @param solved   [problems], 1 where the problem is solved, else 0
 * @param weights  [problems], above 0; all alike where absent
 * @throws DataError `no-problems`
 * @see Wilson 1927, J. Am. Stat. Assoc. 22
 */
export function shareSolved(solved: ArrayLike<number>, weights?: ArrayLike<number>): Estimate {
  requireProblems(solved.length);
  const { mean, effective } = weighted(solved, weights);
  return { ...wilson(mean, effective), count: solved.length };
}

/** Weighted mean, sum of the weights, and how many equal weights would tell as much. */
function weighted(
  values: ArrayLike<number>,
  weights: ArrayLike<number> | undefined,
): { mean: number; total: number; effective: number } {
  let sum = 0;
  let total = 0;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const weight = weights?.[i] ?? 1;
    sum += weight * values[i];
    total += weight;
    squares += weight * weight;
  }
  return { mean: sum / total, total, effective: (total * total) / squares };
}

/** Exactly: a mean of equal values may miss them by a bit, and squares of that are not 0. */
function allEqual(values: ArrayLike<number>): boolean {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false;
  return true;
}

/** @param count  problems, or equally weighted ones that tell as much */
function wilson(mean: number, count: number): Omit<Estimate, 'count'> {
  const z2 = (Z95 * Z95) / count;
  const centre = (mean + z2 / 2) / (1 + z2);
  const half = (Z95 * Math.sqrt((mean * (1 - mean)) / count + z2 / (4 * count))) / (1 + z2);
  // At 0 and 1 the exact bound is the mean itself; rounding would miss it by one bit.
  return {
    mean,
    low: Math.max(0, Math.min(mean, centre - half)),
    high: Math.min(1, Math.max(mean, centre + half)),
  };
}

/** Problems below which the interval of an accuracy is wider than ± 13 points. */
const FEW_HELD_OUT = 50;

/** A sentence on how little an accuracy over few held-out problems says; undefined if there are enough. */
export function fewHeldOut(count: number): string | undefined {
  if (count >= FEW_HELD_OUT) return undefined;
  const { low, high } = wilson(0.5, count);
  const percent = (share: number): string => (100 * share).toFixed(0);
  const problems = count === 1 ? 'problem is' : 'problems are';
  return `only ${count} ${problems} held out: an accuracy of 50 % may be any from ${percent(low)} to ${percent(high)} %`;
}

function requireProblems(count: number): void {
  if (count < 1)
    throw new DataError('no-problems', 'problems: 0 — a mean needs at least one; check the held-out split.');
}

/** 0 for an empty list. */
export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard deviation with n − 1; 0 for fewer than two values. */
export function deviationOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1));
}

/** Linear between neighbours, as in NumPy and PyTorch; infinite for an empty list. @param share  in [0, 1] */
export function quantileOf(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.POSITIVE_INFINITY;
  const sorted = Float64Array.from(values).sort();
  const place = Number((share * (sorted.length - 1)).toPrecision(12)); // a whole place, where it is meant to be one
  const below = Math.floor(place);
  const low = sorted[below];
  return low + (sorted[Math.min(below + 1, sorted.length - 1)] - low) * (place - below);
}
