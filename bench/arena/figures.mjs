/** What the records of the arena come to: figures of each row, and how it compares with its baseline. */

/** The figure that rows are judged by: all others are shown beside it. */
export const JUDGED = 'mean@16';

/**
 * @param rows  as `readRows` gives them
 * @param records  the record of a row's run: (row, index, rate) → record or undefined; `head(row)`
 * @param statistics  Bootstrap, holm and passAtK of the trainer
 * @param count  how many seeds a row should have
 * @returns per task and block, rows with figures, in the order of the file
 */
export function arenaFigures(rows, { recordOf, headOf }, { Bootstrap, holm, passAtK }, count) {
  const runsOf = (row) =>
    Array.from({ length: count }, (_, index) => ({ index, record: recordOf(row, index, 1) })).filter(
      ({ record }) => record !== undefined,
    );
  const bootstraps = new Map();
  const bootstrapOf = (row) => {
    const { problems, weights } = headOf(row);
    if (!bootstraps.has(problems)) bootstraps.set(problems, new Bootstrap(weights));
    return bootstraps.get(problems);
  };
  const found = rows.map((row) => {
    const runs = runsOf(row);
    if (runs.length === 0) return { row, runs: [] };
    const head = headOf(row);
    const values = valuesOf(head.samples, passAtK, runs);
    const figures = Object.fromEntries(
      Object.entries(values).map(([name, of]) => [
        name,
        runs.map(({ record }) => weightedMean(of(record), head.weights)),
      ]),
    );
    const [block, id] = row.baseline.split('/');
    const baseline = rows.find((one) => one.task === row.task && one.block === block && one.id === id);
    return { row, runs, figures, ...(baseline !== row && compared(row, runs, baseline, values)) };
  });
  /** The baseline's runs from the same starts: of a method all that there are, of other seeds of the baseline its own. */
  function baselineRuns(row, baseline) {
    const isAgain = (one) =>
      one.task === baseline.task && one.block === baseline.block && one.seedsFrom > 0 && sameSet(one, baseline);
    const again = row.seedsFrom > 0 ? [] : rows.filter(isAgain);
    return [baseline, ...again].flatMap((one) => runsOf(one).map((run) => ({ ...run, id: one.id })));
  }
  function compared(row, runs, baseline, values) {
    const theirs = baselineRuns(row, baseline).filter(({ index }) => runs.some((own) => own.index === index));
    const mine = runs
      .filter(({ index }) => theirs.some((own) => own.index === index))
      .map((run) => ({ ...run, id: row.id }));
    if (mine.length === 0 || headOf(row).problems !== headOf(baseline).problems) return {};
    const side = (all, of) => ({
      runs: all.map(({ id, index }) => `${id}${index}`),
      values: all.map(({ record }) => of(record)),
    });
    const bootstrap = bootstrapOf(row);
    const differences = Object.entries(values).map(([name, of]) => [
      name,
      bootstrap.tested(side(theirs, of), side(mine, of)),
    ]);
    return {
      differences: Object.fromEntries(differences),
      pace:
        meanOf(mine.map(({ record }) => record.stepSeconds)) / meanOf(theirs.map(({ record }) => record.stepSeconds)),
    };
  }
  // One family of tests for each task: the rows that could be chosen among. A baseline with other seeds is no method.
  for (const task of new Set(rows.map(({ task }) => task))) {
    const family = found.filter(({ row, differences }) => row.task === task && differences && row.seedsFrom === 0);
    const corrected = holm(family.map(({ differences }) => differences[JUDGED].p));
    family.forEach((one, i) => {
      one.corrected = corrected[i];
    });
  }
  return found;
}

/** By problem, what a record has: greedy, mean of the samples, pass@k, and the vote where there is one. */
function valuesOf(samples, passAtK, runs) {
  const right = ({ right }) => [...right].map((digit) => Number.parseInt(digit, 36));
  const pass = (k) => (record) => right(record).map((count) => passAtK(samples, count, k));
  return {
    greedy: ({ greedy }) => [...greedy].map(Number),
    [`mean@${samples}`]: (record) => right(record).map((count) => count / samples),
    'pass@4': pass(4),
    [`pass@${samples}`]: pass(samples),
    ...(runs.every(({ record }) => record.vote !== undefined) && {
      [`maj@${samples}`]: ({ vote }) => [...vote].map((digit) => (digit === '0' ? 0 : 1 / Number.parseInt(digit, 36))),
    }),
  };
}

function sameSet(one, other) {
  return JSON.stringify(one.set) === JSON.stringify(other.set);
}

function weightedMean(values, weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return values.reduce((sum, value, i) => sum + value * weights[i], 0) / total;
}

export function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
