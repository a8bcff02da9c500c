/**
 * Paired differences between two methods on the same problems. Problems are the units, since samples of one problem are not
 * independent; where several runs belong to one method, how far these differ counts as well.
 */
import { type Rng, rngFor } from '../kernels/philox.ts';
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
  /** Names of its runs: those of both sides decide the random draws, so that their order changes signs alone. */
  readonly runs: readonly string[];
  readonly values: readonly (readonly number[])[];
}

/** Resamples of problems, which every figure of a comparison shares. */
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
   * b − a in the weighted mean over problems and the mean over runs, with its 95 % interval: the 2.5 % and the 97.5 % quantile
   * of draws, of which each takes the problems with replacement, and is moved by what the means of so few runs may be off:
   * √(s_a²/n_a + s_b²/n_b)·t, with a random t of Student's distribution, and Welch's degrees of freedom, rounded down. Runs
   * drawn with replacement would do for dozens; of three on a side, such intervals hold the true difference in 80 of 100
   * cases only. Of the same runs twice, or of one on each side, nothing is moved.
   *
   * @see Efron and Tibshirani 1993, An Introduction to the Bootstrap, §13; Welch 1947, Biometrika 34
   */
  difference(a: Side, b: Side): Interval {
    const { mean, low, high } = this.tested(a, b);
    return { mean, low, high };
  }

  /** The same, with twice the share of resamples at or beyond 0 on the side that has fewer. */
  tested(a: Side, b: Side): Tested {
    const [ofA, ofB] = [this.#resampled(a), this.#resampled(b)];
    const [nameA, nameB] = [a.runs.join('|'), b.runs.join('|')];
    const { error, freedom } = nameA === nameB ? NO_SPREAD : welch(this.#ofRuns(a), this.#ofRuns(b));
    const rng = rngFor(`compare|runs|${[nameA, nameB].sort().join('||')}`);
    const sign = nameA < nameB ? 1 : -1; // the other way round every draw is the opposite
    const found = Array.from(ofB, (value, draw) => {
      const moved = error === 0 ? 0 : sign * error * student(freedom, rng);
      return value - ofA[draw] + moved;
    });
    const [below, above] = [found.filter((value) => value <= 0).length, found.filter((value) => value >= 0).length];
    return {
      mean: this.#mean(b) - this.#mean(a),
      low: quantileOf(found, 0.025),
      high: quantileOf(found, 0.975),
      p: Math.min(1, (2 * (Math.min(below, above) + 1)) / (found.length + 1)),
    };
  }

  #mean(side: Side): number {
    const all = this.#ofRuns(side);
    return all.reduce((sum, value) => sum + value, 0) / all.length;
  }

  /** [runs] the weighted mean of each. */
  #ofRuns({ values }: Side): readonly number[] {
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    return values.map((own) => own.reduce((sum, value, i) => sum + this.#weights[i] * value, 0) / total);
  }

  /** [draws] the mean of a side over resampled problems. */
  #resampled({ values }: Side): Float64Array {
    const { length } = this.#weights;
    const summed = Float64Array.from({ length }, (_, i) => {
      const mean = values.reduce((sum, own) => sum + own[i], 0) / values.length;
      return mean * this.#weights[i];
    });
    return this.#totals.map(
      (total, draw) => dot(this.#counts.subarray(draw * length, (draw + 1) * length), summed) / total,
    );
  }
}

/** Standard error of a difference of means, and its degrees of freedom. */
interface Spread {
  readonly error: number;
  readonly freedom: number;
}

const NO_SPREAD: Spread = { error: 0, freedom: 1 };

/** The spread of the means of a few runs on each side; a side of one run is taken for all there is. */
function welch(a: readonly number[], b: readonly number[]): Spread {
  const parts = [a, b]
    .filter((own) => own.length > 1)
    .map((own) => ({ variance: varianceOf(own) / own.length, freedom: own.length - 1 }));
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  if (variance === 0) return NO_SPREAD;
  const freedom = variance ** 2 / parts.reduce((sum, part) => sum + part.variance ** 2 / part.freedom, 0);
  return { error: Math.sqrt(variance), freedom: Math.max(1, Math.floor(freedom + 1e-9)) };
}

/** With n − 1. */
function varianceOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/** A draw of Student's distribution: a normal one over the root of the mean of `freedom` squared ones. */
function student(freedom: number, rng: Rng): number {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - rng.float())) * Math.cos(2 * Math.PI * rng.float());
  const top = normal();
  let squares = 0;
  for (let i = 0; i < freedom; i++) squares += normal() ** 2;
  return top / Math.sqrt(squares / freedom);
}

function dot(counts: Uint16Array, values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < counts.length; i++) sum += counts[i] * values[i];
  return sum;
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
