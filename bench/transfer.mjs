/**
 * What does training on one task do to another? Six tasks by six (m-transfer).
 *
 *   npm run bench -- transfer [--output runs/transfer] [--samples 8] [--json FILE]
 *
 * One supervised start on all tasks of bench/transfer/suite.yaml, one run from it on each task alone, and every one of them
 * asked all held-out problems of all tasks by `eval --suite`. Runs that are there and finished are kept. Rows are what was
 * trained on, columns what was asked: sampled accuracy in percent, and its difference to the start. One seed, one thread.
 */
import { join, resolve } from 'node:path';
import { describeMachine, readFlags, table, writeJson } from './command.mjs';
import { askSuite, SUITE_FLAGS, suiteTasks, trainOn, trainStart } from './transfer/suite_runs.mjs';

const flags = readFlags({ further: SUITE_FLAGS });
const machine = describeMachine();
const output = resolve(flags.output);
const tasks = suiteTasks();
const start = trainStart(output);
for (const task of tasks) trainOn([task], join(output, task.name), start);
const names = ['start', ...tasks.map(({ name }) => name)];
const rows = names.map((name) => ({ trained: name, asked: askSuite(join(output, name), flags.samples) }));
const of = ({ asked: own }, i) => 100 * own[i][`eval_mean@${flags.samples}`];
const cells = rows.map((row) => [
  row.trained,
  ...tasks.map((_, i) => {
    const gain = of(row, i) - of(rows[0], i);
    return `${of(row, i).toFixed(1)}${row === rows[0] ? '' : ` (${gain < 0 ? '' : '+'}${gain.toFixed(1)})`}`;
  }),
]);
process.stdout.write(`${table(['trained on', ...tasks.map(({ name }) => name)], cells)}\n`);
if (flags.json !== undefined) writeJson(flags.json, 'transfer', { machine, samples: Number(flags.samples), rows });
