/**
 * A reporter: writes every evaluation of a run as a row of evaluations.csv, in the run directory.
 *
 *   reporters: [./evaluations_csv.ts]                                   # beside the config, or:
 *   reporters: [{name: ./evaluations_csv.ts, metrics: [eval_accuracy]}]
 */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter } from 'rlvr-train';

interface Options {
  readonly metrics?: readonly string[];
}

export default function evaluationsCsv({
  metrics = ['eval_accuracy', 'eval_accuracy_low', 'eval_accuracy_high'],
}: Options): Reporter {
  let file = '';
  return {
    report(event) {
      if (event.type === 'start') {
        file = join(event.directory, 'evaluations.csv');
        if (!existsSync(file)) appendFileSync(file, `stage,step,moment,${metrics.join(',')}\n`);
      }
      if (event.type === 'evaluation') {
        const cells = [event.stage, event.step, event.moment, ...metrics.map((name) => event.metrics[name] ?? '')];
        appendFileSync(file, `${cells.join(',')}\n`);
      }
    },
  };
}
