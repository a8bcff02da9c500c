/**
 * Paired differences between two methods on the same problems. Problems are the units, since samples of one problem are not
 * independent; where several runs belong to one method, its runs are units as well.
 */
import { rngFor } from '../kernels/philox.ts';
import { quantileOf } from '../methods/statistics.ts';

/** A mean with its 95 % interval. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** An interval, and the chance that the sign of the mean is one by chance: two-sided, at least 2 of the draws and one more. */
export interface Tested extends Interval {
  readonly p: number;
}

/** One more than a round number, so that both ends of the interval are draws. */
const DRAWS = 4_001;

/** What one method reached: [runs][problems] a value. */
export interface Side {
  /** Names of its runs: they decide the random draws, so that the order of two sides changes signs alone. */
  readonly runs: readonly string[];
  readonly values: readonly (readonly number[])[];
}

/** Resamples of problems and of runs, which every figure of a comparison shares. */
export class Bootstrap {
  readonly #weights: readonly number[];
  /** [draws][problems] how often each is drawn, and [draws] the weights of these together. */
  readonly #counts: Uint16Array;
  readonly #totals: Float64Array;

  /** @param weights  [problems], above 0 */
  constructor(weights: readonly number[], draws = DRAWS) {
    this.#weights = weights;
    this.#counts = new Uint16Array(draws * weights.length);
    this.#totals = new Float64Array(draws);
    const rng = rngFor('compare|problems');
    const { length } = weights;
    for (let draw = 0; draw < draws; draw++) {
      for (let i = 0; i < length; i++) {
        const drawn = rng.int(0, length - 1);
        this.#counts[draw * length + drawn]++;
        this.#totals[draw] += weights[drawn];
      }
    }
  }

  /**
   * b − a in the weighted mean over problems and the mean over runs, with the interval between the 2.5 % and the 97.5 %
   * quantile of resamples: problems with replacement, and the runs of each side.
   *
   * @see Efron and Tibshirani 1993, An Introduction to the Bootstrap, §13
   */
  difference(a: Side, b: Side): Interval {
    const { mean, low, high } = this.tested(a, b);
    return { mean, low, high };
  }

  /** The same, with twice the share of resamples at or beyond 0 on the side that has fewer. */
  tested(a: Side, b: Side): Tested {
    const [ofA, ofB] = [this.#resampled(a), this.#resampled(b)];
    const found = Array.from(ofB, (value, draw) => value - ofA[draw]);
    const [below, above] = [found.filter((value) => value <= 0).length, found.filter((value) => value >= 0).length];
    return {
      mean: this.#mean(b) - this.#mean(a),
      low: quantileOf(found, 0.025),
      high: quantileOf(found, 0.975),
      p: Math.min(1, (2 * (Math.min(below, above) + 1)) / (found.length + 1)),
    };
  }

  #mean({ values }: Side): number {
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    const of = (own: readonly number[]): number => own.reduce((sum, value, i) => sum + this.#weights[i] * value, 0);
    return values.reduce((sum, own) => sum + of(own), 0) / (total * values.length);
  }

  /** [draws] the mean of a side. */
  #resampled({ runs, values }: Side): Float64Array {
    const rng = rngFor(`compare|runs|${runs.join('|')}`);
    const weighed = values.map((own) => Float64Array.from(own, (value, i) => value * this.#weights[i]));
    const { length } = this.#weights;
    return this.#totals.map((total, draw) => {
      const counts = this.#counts.subarray(draw * length, (draw + 1) * length);
      const shares = resampledShares(values.length, rng);
      return (
        weighed.reduce((sum, own, run) => sum + (shares[run] === 0 ? 0 : shares[run] * dot(counts, own)), 0) / total
      );
    });
  }
}

function dot(counts: Uint16Array, values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < counts.length; i++) sum += counts[i] * values[i];
  return sum;
}

/** How often each of some runs is drawn, as shares; a single run is all there is. */
function resampledShares(count: number, rng: ReturnType<typeof rngFor>): readonly number[] {
  if (count === 1) return [1];
  const shares = new Array<number>(count).fill(0);
  for (let i = 0; i < count; i++) shares[rng.int(0, count - 1)] += 1 / count;
  return shares;
}

/**
 * Exact two-sided McNemar test: the chance that at least as uneven a split of gained and lost problems comes from a fair
 * coin. 1 where there are none.
 *
 * @see McNemar 1947, Psychometrika 12
 */
export function mcNemar(gained: number, lost: number): number {
  const [few, all] = [Math.min(gained, lost), gained + lost];
  let [term, sum] = [0, 0]; // logarithms of binomials, since 0.5^n vanishes
  for (let i = 0; i <= few; i++) {
    if (i > 0) term += Math.log((all - i + 1) / i);
    sum += Math.exp(term - all * Math.LN2);
  }
  return Math.min(1, 2 * sum);
}

/**
 * Holm's correction: what each chance becomes where this many were looked at, so that any of those at or below 5 % is a
 * mistake in no more than one of twenty such tables, whatever the tests have in common.
 *
 * @param chances  0 to 1, in any order @returns the corrected ones, in the same order
 * @see Holm 1979, Scandinavian Journal of Statistics 6
 */
export function holm(chances: readonly number[]): number[] {
  const order = chances.map((_, i) => i).sort((i, j) => chances[i] - chances[j] || i - j);
  const corrected = new Array<number>(chances.length);
  let most = 0;
  order.forEach((place, rank) => {
    most = Math.max(most, Math.min(1, chances[place] * (chances.length - rank)));
    corrected[place] = most;
  });
  return corrected;
}
