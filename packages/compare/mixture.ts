/**
 * Which mixture of tasks would score best, from a few short runs over mixtures: a quadratic of the shares is fitted to what the
 * runs reached, and its maximum over all mixtures is looked for. Shares add up to 1, so that products of two of them and the
 * shares themselves are all that a quadratic has (Scheffé 1958). After MoDoMoDo, arXiv:2505.24871.
 */

/** A run: the share of each task, which add up to 1, and what was reached. */
export interface MixtureRun {
  /** [tasks] */
  readonly shares: readonly number[];
  readonly score: number;
}

export interface FittedMixture {
  /** [tasks] of the maximum. */
  readonly shares: readonly number[];
  /** What the fit says of it. */
  readonly score: number;
  /** Root mean square of what the fit misses of the runs. */
  readonly residual: number;
}

/** Holds the products' coefficients where there are fewer runs than coefficients. */
const RIDGE = 1e-3;
const FINEST_MOVE = 1 / 1024;

/**
 * @param runs  one at least for each task; with fewer than n(n + 1)/2 the products of shares are held near 0
 * @throws RangeError where there are fewer runs than tasks
 */
export function fitMixture(runs: readonly MixtureRun[]): FittedMixture {
  const tasks = runs[0]?.shares.length ?? 0;
  if (runs.length < Math.max(2, tasks)) throw new RangeError(`${runs.length} runs cannot tell ${tasks} tasks apart`);
  const coefficients = leastSquares(
    runs.map(({ shares }) => termsOf(shares)),
    runs.map(({ score }) => score),
    tasks,
  );
  const scoreOf = (shares: readonly number[]): number =>
    termsOf(shares).reduce((sum, term, i) => sum + term * coefficients[i], 0);
  const corners = Array.from({ length: tasks }, (_, k) => Array.from({ length: tasks }, (_, i) => Number(i === k)));
  const starts = [...corners, Array.from({ length: tasks }, () => 1 / tasks)];
  const found = starts.map((start) => climbed(start, scoreOf));
  const shares = found.reduce((best, one) => (scoreOf(one) > scoreOf(best) ? one : best));
  const squares = runs.reduce((sum, run) => sum + (scoreOf(run.shares) - run.score) ** 2, 0);
  return { shares, score: scoreOf(shares), residual: Math.sqrt(squares / runs.length) };
}

/** The shares, then the product of each pair. */
function termsOf(shares: readonly number[]): number[] {
  return [...shares, ...shares.flatMap((one, i) => shares.slice(i + 1).map((other) => one * other))];
}

/** Normal equations by Gauss with pivots. @param free  terms at the front that are not held near 0 */
function leastSquares(rows: readonly (readonly number[])[], values: readonly number[], free: number): number[] {
  const size = rows[0].length;
  const system = Array.from({ length: size }, (_, i) => [
    ...Array.from(
      { length: size },
      (_, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0) + (i === j ? (i < free ? 1e-12 : RIDGE) : 0),
    ),
    rows.reduce((sum, row, r) => sum + row[i] * values[r], 0),
  ]);
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(system[row][column]) > Math.abs(system[pivot][column])) pivot = row;
    }
    [system[column], system[pivot]] = [system[pivot], system[column]];
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const factor = system[row][column] / system[column][column];
      for (let k = column; k <= size; k++) system[row][k] -= factor * system[column][k];
    }
  }
  return system.map((row, i) => row[size] / row[i]);
}

/** Moves weight from one task to another while that raises the score, by ever smaller moves. */
function climbed(start: readonly number[], scoreOf: (shares: readonly number[]) => number): readonly number[] {
  let shares = start;
  for (let move = 0.25; move >= FINEST_MOVE; move /= 2) {
    for (let isBetter = true; isBetter; ) {
      isBetter = false;
      for (let from = 0; from < shares.length; from++) {
        for (let to = 0; to < shares.length; to++) {
          if (from === to || shares[from] <= 0) continue;
          const moved = Math.min(move, shares[from]);
          const next = shares.map((share, i) => (i === from ? share - moved : i === to ? share + moved : share));
          if (scoreOf(next) > scoreOf(shares) + 1e-12) [shares, isBetter] = [next, true];
        }
      }
    }
  }
  return shares;
}
