/**
 * What do more tasks to train on do to held-out accuracy, at an equal number of steps (m-task-scaling)?
 *
 *   npm run bench -- task-scaling [--counts 1,2,4,6] [--steps 80] [--output runs/transfer] [--samples 8] [--json FILE]
 *
 * The start of `bench -- transfer`, and from it a run on the first task of its suite, on the first two, and so on: each takes as
 * many steps with as many completions, so that of more tasks each is asked less. Every run is asked all tasks. A row has the
 * sampled accuracy over the tasks that were trained on, over those that were not, and what each gained. One seed, one thread.
 */
import { join, resolve } from 'node:path';
import { describeMachine, fail, readFlags, table, writeJson } from './command.mjs';
import { mean } from './statistics.mjs';
import { askSuite, SUITE_FLAGS, suiteTasks, trainOn, trainStart } from './transfer/suite_runs.mjs';

const flags = readFlags({
  further: {
    counts: { type: 'string', default: '1,2,4,6' },
    steps: { type: 'string', default: '80' },
    ...SUITE_FLAGS,
  },
});
const machine = describeMachine();
const output = resolve(flags.output);
const tasks = suiteTasks();
const counts = flags.counts.split(',').map(Number);
const strange = counts.find((count) => !Number.isInteger(count) || count < 1 || count > tasks.length);
if (strange !== undefined) fail(`--counts ${flags.counts} — numbers of tasks, 1 to ${tasks.length}, as 1,2,4.`);
const start = trainStart(output);
const before = accuracies(start);
const rows = counts.map((count) => {
  const place = join(output, `first-${count}-of-${flags.steps}-steps`);
  trainOn(tasks.slice(0, count), place, start, [`grpo.max_steps=${flags.steps}`]);
  return { tasks: count, accuracies: accuracies(place) };
});
const cells = rows.map(({ tasks: count, accuracies: own }) => [
  count,
  ...[own.slice(0, count), own.slice(count)].map((part, i) => {
    if (part.length === 0) return '–';
    const base = mean(i === 0 ? before.slice(0, count) : before.slice(count));
    return `${(100 * base).toFixed(1)} → ${(100 * mean(part)).toFixed(1)}`;
  }),
  ...own.map((value, i) => signed(100 * (value - before[i]))),
]);
process.stdout.write(`${table(['tasks', 'trained on', 'not', ...tasks.map(({ name }) => name)], cells)}\n`);
if (flags.json !== undefined) {
  const settings = { steps: Number(flags.steps), samples: Number(flags.samples) };
  writeJson(flags.json, 'task-scaling', { machine, ...settings, tasks: tasks.map(({ name }) => name), before, rows });
}

function accuracies(model) {
  return askSuite(model, flags.samples).map((metrics) => metrics[`eval_mean@${flags.samples}`]);
}

function signed(value) {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
}
