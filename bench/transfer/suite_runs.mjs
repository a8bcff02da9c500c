/** Runs on tasks of bench/transfer/suite.yaml, from one supervised start, and what each is asked. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { fail } from '../command.mjs';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const SUITE = join(FOLDER, 'suite.yaml');

/** What every command over the suite is called with. */
export const SUITE_FLAGS = {
  output: { type: 'string', default: fileURLToPath(new URL('../../runs/transfer', import.meta.url)) },
  samples: { type: 'string', default: '8' },
  json: { type: 'string' },
};

export function suiteTasks() {
  return parse(readFileSync(SUITE, 'utf8'));
}

/** Trains what all runs begin with, unless it is there. @returns its directory */
export function trainStart(output) {
  return train(join(output, 'start'), 'start.yaml', []);
}

/**
 * Trains on some of the tasks from the start, unless that run is there.
 *
 * @param set  further assignments, as `--set` takes them
 * @returns the directory of the run
 */
export function trainOn(tasks, directory, start, set = []) {
  const what = tasks.length === 1 ? `task=${JSON.stringify(tasks[0])}` : `tasks=${JSON.stringify(tasks)}`;
  const without = tasks.length === 1 ? [] : ['task=null'];
  return train(directory, 'one.yaml', [`model_name_or_path=${JSON.stringify(start)}`, ...without, what, ...set]);
}

/** @returns the metrics of each task, in the order of the suite */
export function askSuite(model, samples) {
  const words = ['eval', '--model', model, '--suite', SUITE, '--samples', samples, '--threads', '1', '--json'];
  const { results } = JSON.parse(call(words));
  const missing = results.find(({ metrics }) => metrics === undefined);
  if (missing !== undefined) fail(`${model}: ${missing.name}: ${missing.reason}`);
  return results.map(({ name, metrics }) => ({ name, ...metrics }));
}

function train(directory, config, set) {
  if (existsSync(join(directory, 'summary.json'))) return directory;
  const words = ['--config', join(FOLDER, config), '--output', directory, '--threads', '1', '--quiet'];
  call([...words, ...set.flatMap((one) => ['--set', one])]);
  return directory;
}

function call(words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) fail(stderr.trim().split('\n').at(-1) || `${words.join(' ')}: ended with code ${status}`);
  return stdout;
}
