/**
 * What does training on one task do to another? Six tasks by six (m-transfer).
 *
 *   npm run bench -- transfer [--output runs/transfer] [--samples 8] [--json FILE]
 *
 * One supervised start on all tasks of bench/transfer/suite.yaml, one run from it on each task alone, and every one of them
 * asked all held-out problems of all tasks by `eval --suite`. Runs that are there and finished are kept. Rows are what was
 * trained on, columns what was asked: sampled accuracy in percent, and its difference to the start. One seed, one thread.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { describeMachine, fail, readFlags, table, writeJson } from './command.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = join(ROOT, 'dist/cli/main.js');
const FOLDER = join(ROOT, 'bench/transfer');
const SUITE = join(FOLDER, 'suite.yaml');

const flags = readFlags({
  further: {
    output: { type: 'string', default: join(ROOT, 'runs/transfer') },
    samples: { type: 'string', default: '8' },
    json: { type: 'string' },
  },
});
const machine = describeMachine();
const output = resolve(flags.output);
const tasks = parse(readFileSync(SUITE, 'utf8'));
const start = join(output, 'start');
train(start, 'start.yaml', []);
for (const task of tasks) {
  const set = [`model_name_or_path=${JSON.stringify(start)}`, `task=${JSON.stringify(task)}`];
  train(join(output, task.name), 'one.yaml', set);
}
const names = ['start', ...tasks.map(({ name }) => name)];
const rows = names.map((name) => ({ trained: name, asked: asked(join(output, name)) }));
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

function train(directory, config, set) {
  if (existsSync(join(directory, 'summary.json'))) return;
  const words = ['--config', join(FOLDER, config), '--output', directory, '--threads', '1', '--quiet'];
  call([...words, ...set.flatMap((one) => ['--set', one])]);
}

/** @returns the metrics of each task, in the order of the suite */
function asked(model) {
  const words = ['eval', '--model', model, '--suite', SUITE, '--samples', flags.samples, '--threads', '1', '--json'];
  const { results } = JSON.parse(call(words));
  const missing = results.find(({ metrics }) => metrics === undefined);
  if (missing !== undefined) fail(`${model}: ${missing.name}: ${missing.reason}`);
  return results.map(({ name, metrics }) => ({ name, ...metrics }));
}

function call(words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) fail(stderr.trim().split('\n').at(-1) || `${words.join(' ')}: ended with code ${status}`);
  return stdout;
}
