/**
 * Differences between two methods on the same problems, with intervals and chances in closed form. Two things make such a
 * difference uncertain: which problems were asked, and which runs were made. Samples of one problem are not independent, so
 * problems are the units, not answers.
 */

/** A mean with its 95 % interval. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** An interval, and the chance of a difference as large in either direction where there is none: 0 to 1. */
export interface Tested extends Interval {
  readonly p: number;
}

/** What one method reached. */
export interface Side {
  /** [runs] What a run began from: its start, or its seed. Runs of both sides with the same one are a pair. */
  readonly starts: readonly string[];
  /** [runs][problems] */
  readonly values: readonly (readonly number[])[];
}

/** Largest degrees of freedom for which Student's distribution is computed; more count as this many. */
const MOST_FREEDOM = 1_000;

/**
 * b − a in the weighted mean over problems and the mean over runs, tested by Student's distribution:
 *
 *   t = (b − a) / √(s_problems² + s_runs²),  freedom by Welch and Satterthwaite, rounded down
 *
 * `s_problems` is the standard error of the mean of paired differences over problems. `s_runs` is that of a mean over runs.
 * Where both sides have the same starts, two or more, it is of the differences by start, since what a start is worth is the
 * same on both sides; otherwise it is √(s_a²/n_a + s_b²/n_b). A side of one run is taken for all there is, and so are the same
 * runs twice: then problems alone count. Neither the order of the runs nor that of the sides decides anything but signs.
 *
 * @param weights  [problems], above 0
 * @see Welch 1947, Biometrika 34; Satterthwaite 1946, Biometrics Bulletin 2; Kish 1965, Survey Sampling, for weights
 */
export function differenceOf(a: Side, b: Side, weights: readonly number[]): Tested {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const meanOf = (values: readonly number[]): number =>
    values.reduce((sum, value, i) => sum + weights[i] * value, 0) / total;
  const starts = pairsOf(a, b);
  const [ofA, ofB] = [a, b].map((side) => (starts === undefined ? side.values : byStart(side, starts)));
  const differences = weights.map((_, i) => columnMean(ofB, i) - columnMean(ofA, i));
  const mean = meanOf(differences);
  const [runsA, runsB] = [ofA.map(meanOf), ofB.map(meanOf)];
  const runs =
    starts === undefined
      ? joined([spreadOf(runsA), spreadOf(runsB)])
      : spreadOf(runsB.map((value, i) => value - runsA[i]));
  return tested(mean, joined([spreadOfProblems(differences, mean, weights), runs]));
}

/** The starts that both sides have, in order; undefined where they are not the same on both, or just one. */
function pairsOf(a: Side, b: Side): readonly string[] | undefined {
  const [mine, yours] = [a, b].map(({ starts }) => [...new Set(starts)].sort());
  return mine.length > 1 && mine.join('\n') === yours.join('\n') ? mine : undefined;
}

/** [starts][problems] the mean over a side's runs from each. */
function byStart({ starts, values }: Side, wanted: readonly string[]): readonly (readonly number[])[] {
  return wanted.map((start) => {
    const own = values.filter((_, run) => starts[run] === start);
    return own[0].map((_, i) => columnMean(own, i));
  });
}

function columnMean(values: readonly (readonly number[])[], column: number): number {
  return values.reduce((sum, own) => sum + own[column], 0) / values.length;
}

/** The square of a standard error, and its degrees of freedom. */
interface Spread {
  readonly variance: number;
  readonly freedom: number;
}

const NO_SPREAD: Spread = { variance: 0, freedom: 1 };

/** Spread of the mean of these values; one is taken for all there is. */
function spreadOf(values: readonly number[]): Spread {
  if (values.length < 2) return NO_SPREAD;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const freedom = values.length - 1;
  return { variance: squares / freedom / values.length, freedom };
}

/** Spread of a weighted mean over problems, which weigh as much as n = (Σw)²/Σw² equal ones. */
function spreadOfProblems(values: readonly number[], mean: number, weights: readonly number[]): Spread {
  const [total, squared] = [1, 2].map((power) => weights.reduce((sum, weight) => sum + weight ** power, 0));
  const n = total ** 2 / squared;
  if (n <= 1) return NO_SPREAD;
  const squares = values.reduce((sum, value, i) => sum + (weights[i] * (value - mean)) ** 2, 0);
  return { variance: ((squares / total ** 2) * n) / (n - 1), freedom: n - 1 };
}

/** The spread of a sum of independent parts. */
function joined(parts: readonly Spread[]): Spread {
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  if (variance === 0) return NO_SPREAD;
  return { variance, freedom: variance ** 2 / parts.reduce((sum, part) => sum + part.variance ** 2 / part.freedom, 0) };
}

function tested(mean: number, { variance, freedom }: Spread): Tested {
  if (variance === 0) return { mean, low: mean, high: mean, p: mean === 0 ? 1 : 0 };
  const error = Math.sqrt(variance);
  const whole = Math.min(MOST_FREEDOM, Math.max(1, Math.floor(freedom + 1e-9)));
  const half = error * studentQuantile(whole);
  return { mean, low: mean - half, high: mean + half, p: studentTails(Math.abs(mean) / error, whole) };
}

/**
 * The chance that |t| of Student's distribution is at least this large.
 *
 * @param t  0 or more @param freedom  a whole number, 1 or more
 * @see Abramowitz and Stegun 1964, Handbook of Mathematical Functions, 26.7.3 and 26.7.4
 */
export function studentTails(t: number, freedom: number): number {
  const angle = Math.atan2(t, Math.sqrt(freedom));
  const [sine, square] = [Math.sin(angle), Math.cos(angle) ** 2];
  const isOdd = freedom % 2 === 1;
  let [term, sum] = [isOdd ? Math.cos(angle) : 1, 0];
  for (let k = isOdd ? 2 : 1; k < freedom; k += 2) {
    sum += term;
    term *= (square * k) / (k + 1);
  }
  const inside = isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return Math.min(1, Math.max(0, 1 - inside));
}

/** The t that |t| exceeds in 5 of 100 cases. */
function studentQuantile(freedom: number): number {
  let [low, high] = [1.9, 13];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (studentTails(middle, freedom) > 0.05) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
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
