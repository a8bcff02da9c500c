/** results.json: what the arena says of each row, for `rlvr-train advise` and the methods' pages. */
import { isControl, JUDGED, meanOf, REACH } from './figures.mjs';

/** Rows with all their seeds, and with a baseline to be compared with; `controls` are the baselines at other rates. */
export function advisedFrom(found, count) {
  const whole = found.filter(({ runs, differences }) => runs.length === count && differences !== undefined);
  return {
    figure: JUDGED,
    seeds: count,
    rows: whole
      .filter(({ row }) => !isControl(row))
      .map(({ row, figures, differences, corrected, runs }) => ({
        task: row.task,
        block: row.block,
        row: row.id,
        of: row.of,
        set: row.set,
        baseline: row.baseline,
        reached: rounded(meanOf(figures[JUDGED])),
        difference: interval(differences[JUDGED]),
        greedy: interval(differences.greedy),
        pass: interval(differences[REACH]),
        best: besideBest(differences[JUDGED]),
        passBest: besideBest(differences[REACH]),
        entropy: entropyOf(runs),
        holm: rounded(corrected[JUDGED]),
        passHolm: rounded(corrected[REACH]),
      })),
    controls: whole
      .filter(({ row }) => row.rate !== 1)
      .map(({ row, differences }) => ({
        task: row.task,
        block: row.block,
        row: row.id,
        difference: interval(differences[JUDGED]),
        pass: interval(differences[REACH]),
      })),
  };
}

function entropyOf(runs) {
  const known = runs.flatMap(({ record }) => record.entropy ?? []);
  return known.length === 0 ? null : rounded(meanOf(known));
}

/** Beside the baseline at another rate, where that is the best one: its rate, then as the others. */
function besideBest({ best }) {
  return best.rate === 1 ? null : [best.rate, ...interval(best)];
}

function interval({ mean, low, high, p }) {
  return [mean, low, high, p].map(rounded);
}

function rounded(value) {
  return Number(value.toFixed(4));
}
