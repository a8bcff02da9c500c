/** What the records of the arena come to: figures of each row, and how it compares with its baseline. */
import { greedyOf } from './records.mjs';

/** The figures that rows are judged by: what one sample is worth, and what many solve. */
export const JUDGED = 'mean@16';
export const REACH = 'pass@16';

/**
 * Each row beside its baseline, and beside the baseline at the rate that is best by the same figure: where another rate gives
 * as much, the row is no method that helps. Runs from one start are a pair.
 *
 * @param rows  as `readRows` gives them
 * @param records  the record of a row's run: (row, index, rate) → record or undefined; `head(row)`
 * @param statistics  differenceOf, holm and passAtK of the trainer
 * @param count  how many seeds a row should have
 * @returns per task and block, rows with figures, in the order of the file
 */
export function arenaFigures(rows, { recordOf, headOf }, { differenceOf, holm, passAtK }, count) {
  const runsOf = (row) =>
    Array.from({ length: count }, (_, index) => ({ index, record: recordOf(row, index, 1) })).filter(
      ({ record }) => record !== undefined,
    );
  const found = rows.map((row) => {
    const runs = runsOf(row);
    if (runs.length === 0) return { row, runs: [] };
    const { samples, weights } = headOf(row);
    const values = valuesOf(samples, passAtK, runs);
    const figures = Object.fromEntries(
      Object.entries(values).map(([name, of]) => [name, runs.map(({ record }) => weightedMean(of(record), weights))]),
    );
    const [block, id] = row.baseline.split('/');
    const baseline = rows.find((one) => one.task === row.task && one.block === block && one.id === id);
    return { row, runs, figures, ...(baseline !== row && compared(row, runs, baseline, values)) };
  });
  /** Runs of the baseline at one rate, from the starts of the row: all that there are, or of other seeds of the baseline its own. */
  function baselinesOf(row, runs, baseline) {
    const isOwn = (one) =>
      one.task === baseline.task && one.block === baseline.block && sameSet(one, baseline) && one.id !== row.id;
    const isAlone = isControl(row);
    const all = isAlone ? [baseline] : rows.filter((one) => one === baseline || (isOwn(one) && isControl(one)));
    const rates = [...new Set(all.map(({ rate }) => rate))];
    return rates
      .map((rate) => ({
        rate,
        runs: all
          .filter((one) => one.rate === rate)
          .flatMap((one) => runsOf(one))
          .filter(({ index }) => runs.some((own) => own.index === index)),
      }))
      .filter((one) => one.runs.length > 0);
  }
  function compared(row, runs, baseline, values) {
    const { problems, weights } = headOf(row);
    const baselines = baselinesOf(row, runs, baseline);
    const mine = runs.filter(({ index }) => baselines[0]?.runs.some((own) => own.index === index));
    if (mine.length === 0 || problems !== headOf(baseline).problems) return {};
    const side = (all, of) => ({
      starts: all.map(({ index }) => String(index)),
      values: all.map(({ record }) => of(record)),
    });
    const differences = Object.entries(values).map(([name, of]) => {
      const reached = (one) => meanOf(one.runs.map(({ record }) => weightedMean(of(record), weights)));
      const top = baselines.reduce((one, other) => (reached(other) > reached(one) ? other : one));
      const beside = (one) => differenceOf(side(one.runs, of), side(mine, of), weights);
      return [name, { ...beside(baselines[0]), best: { ...beside(top), rate: top.rate } }];
    });
    const paces = [mine, baselines[0].runs].map((all) => meanOf(all.map(({ record }) => record.stepSeconds)));
    return { differences: Object.fromEntries(differences), pace: paces[0] / paces[1] };
  }
  // One family of tests for each task: the rows that could be chosen among, by each of the figures that are shown.
  for (const task of new Set(rows.map(({ task }) => task))) {
    const family = found
      .filter(({ row, differences }) => row.task === task && differences && !isControl(row))
      .flatMap((one) => [JUDGED, REACH].map((name) => ({ one, name })));
    const corrected = holm(family.map(({ one, name }) => chanceOf(one.differences[name])));
    family.forEach(({ one, name }, i) => {
      one.corrected = { ...one.corrected, [name]: corrected[i] };
    });
  }
  return found;
}

/** A row that is above its baseline must be above the best rate as well: the larger chance counts. */
export function chanceOf({ mean, p, best }) {
  return mean > 0 ? Math.max(p, best.p) : p;
}

/** The baseline with other seeds or at another rate is no method. */
export function isControl({ seedsFrom, rate }) {
  return seedsFrom > 0 || rate !== 1;
}

/** By problem, what a record has: greedy, mean of the samples, pass@k, and the vote where there is one. */
function valuesOf(samples, passAtK, runs) {
  const right = ({ right }) => [...right].map((digit) => Number.parseInt(digit, 36));
  const pass = (k) => (record) => right(record).map((count) => passAtK(samples, count, k));
  return {
    greedy: greedyOf,
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
