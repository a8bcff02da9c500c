/**
 * How many rows of a table differ from their baseline by more than their interval where none does: not 5 of 100 alone, but how
 * far that number itself may be off. All rows share the runs of their baseline, so when these are lucky many rows look worse
 * at once.
 *
 * Rows are made up, with the spreads of the baseline's own runs, and tested as the rows of the table are.
 */
import { JUDGED, meanOf } from './figures.mjs';

const TABLES = 400;
/** Made-up problems; their spread is scaled so that its standard error is that of the real ones. */
const PROBLEMS = 40;

/**
 * The spreads of a task, from the runs of its baseline with other seeds.
 *
 * @param found  what `arenaFigures` gives of one task
 * @param weights  of its problems
 * @returns undefined where no baseline has a second run from one start
 */
export function spreadsOf(found, weights, samples) {
  const again = found.find(({ row, runs }) => row.seedsFrom > 0 && runs.length > 1);
  if (again === undefined) return undefined;
  const { task, baseline } = again.row;
  const isOfIt = ({ row }) => row.task === task && row.baseline === baseline && row.rate === 1;
  const own = found.filter(
    (one) => isOfIt(one) && (one.row.seedsFrom > 0 || `${one.row.block}/${one.row.id}` === baseline),
  );
  const starts = again.runs.map(({ index }) => index);
  const luck = starts.flatMap((index) => {
    const values = own.flatMap(({ runs, figures }) =>
      runs.flatMap((run, i) => (run.index === index ? [figures[JUDGED][i]] : [])),
    );
    return values.map((value) => ({ square: (value - meanOf(values)) ** 2, freedom: 1 - 1 / values.length }));
  });
  const total = (of) => luck.reduce((sum, one) => sum + of(one), 0);
  const [one, other] = [own[0], again].map(({ runs }) =>
    weights.map((_, i) => meanOf(runs.map(({ record }) => Number.parseInt(record.right[i], 36) / samples))),
  );
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const middle = weights.reduce((all, weight, i) => all + weight * (other[i] - one[i]), 0) / sum;
  const squares = weights.reduce((all, weight, i) => all + (weight * (other[i] - one[i] - middle)) ** 2, 0);
  return {
    runs: Math.sqrt(total(({ square }) => square) / total(({ freedom }) => freedom)),
    problems: Math.sqrt(squares) / sum,
    starts: starts.length,
    perStart: own.length,
  };
}

/** @returns mean of the number of rows that differ, and the number that 95 of 100 tables do not exceed */
export function rowsByChance(rows, spreads, { differenceOf, rngFor }) {
  const rng = rngFor(`arena|chance|${rows}`);
  const normal = () => Math.sqrt(-2 * Math.log(1 - rng.float())) * Math.cos(2 * Math.PI * rng.float());
  const weights = new Array(PROBLEMS).fill(1);
  const runs = (problems, perStart) => {
    const all = Array.from({ length: spreads.starts * perStart }, (_, i) => ({
      start: String(i % spreads.starts),
      luck: spreads.runs * normal(),
    }));
    return {
      starts: all.map(({ start }) => start),
      values: all.map(({ luck }) => problems.map((value) => value + luck)),
    };
  };
  const counts = Array.from({ length: TABLES }, () => {
    const baseline = runs(new Array(PROBLEMS).fill(0), spreads.perStart);
    let apart = 0;
    for (let row = 0; row < rows; row++) {
      const problems = weights.map(() => spreads.problems * Math.sqrt(PROBLEMS) * normal());
      if (differenceOf(baseline, runs(problems, 1), weights).p < 0.05) apart++;
    }
    return apart;
  }).sort((a, b) => a - b);
  return { mean: meanOf(counts), most: counts[Math.ceil(0.95 * TABLES) - 1] };
}
