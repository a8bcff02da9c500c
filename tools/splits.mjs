/**
 * `npm run splits -- [--task NAME] [--levels] [--train N] [--held-out N]`: does training ever see a held-out problem?
 *
 * Draws problems of the training stream of every task, at its default knobs or at each level, until it has enough different
 * ones (100,000) or drawing gives hardly any new, and compares them with as many held-out ones (10,000) or all: their keys,
 * and what a policy is shown, the prompt and what the actions of a perfect player are answered with. Any in common is
 * printed, and makes the exit status 1. Reads build/: `npm run build:js` first.
 */
import { parseArgs } from 'node:util';
import { bindTask, registeredTasks } from '../build/packages/rlvr-train/tasks.js';
import { ShownProblems } from '../build/packages/zoo/data/check/shown.js';

const options = {
  task: { type: 'string' },
  levels: { type: 'boolean', default: false },
  train: { type: 'string', default: '100000' },
  'held-out': { type: 'string', default: '10000' },
};
const { values } = parseArgs({ options });
const [train, heldOut] = [values.train, values['held-out']].map(Number);
const names = Object.keys(registeredTasks).filter((name) => values.task === undefined || name === values.task);
if (![train, heldOut].every((count) => Number.isInteger(count) && count >= 1) || names.length === 0) {
  const wrong =
    names.length === 0
      ? `--task: ${values.task} — no such task`
      : `--train ${values.train} --held-out ${values['held-out']}`;
  process.stderr.write(
    `${wrong}; use --task NAME of rlvr-train tasks ls, --train and --held-out with a number of problems.\n`,
  );
  process.exit(2);
}

/** Draws without a new problem, as a share of those that were found, after which a task counts as having no more. */
const PATIENCE = 3;

/** Different problems of the training stream: how many, and the held-out ones that are among them. */
function comparedTrain(task, definition, heldOut) {
  const shown = new ShownProblems(definition, task.knobs, heldOut);
  const byKey = new Map(heldOut.map((item) => [item.key, item]));
  const keys = new Set();
  const shared = new Map();
  const most = Math.min(train, task.trainProblems() ?? train);
  for (let index = 0, last = 0; keys.size < most && index - last < Math.max(2000, PATIENCE * keys.size); index++) {
    const item = task.trainItem(0, index);
    if (keys.has(item.key)) continue;
    keys.add(item.key);
    last = index;
    const same = byKey.get(item.key) ?? shown.like(item);
    if (same !== undefined) shared.set(same.key, item.key);
  }
  return { count: keys.size, shared };
}

const WIDTHS = [32, 10, 10, 10, 8];

function printRow(cells) {
  const [name, ...figures] = cells.map(String);
  const [first, ...widths] = WIDTHS;
  console.log(name.padEnd(first) + figures.map((figure, i) => figure.padStart(widths[i])).join(' '));
}

const secondsSince = (start) => ((performance.now() - start) / 1000).toFixed(1);

const started = performance.now();
const sums = [0, 0, 0];
printRow(['task', 'training', 'held out', 'in common', 'seconds']);
for (const name of names) {
  const definition = await registeredTasks[name].load();
  for (const given of values.levels ? definition.levels.map((_, level) => ({ level })) : [{}]) {
    const start = performance.now();
    const task = bindTask(definition, given, { heldOutSample: heldOut });
    const held = task.heldOutItems();
    const { count, shared } = comparedTrain(task, definition, held);
    for (const [key, trained] of shared) {
      const as = trained === key ? '' : `, as ${trained}`;
      process.stderr.write(`${name}: ${key} is held out and trained on${as}\n`);
    }
    const counts = [count, held.length, shared.size];
    counts.forEach((figure, i) => {
      sums[i] += figure;
    });
    printRow([values.levels ? `${name}, level ${given.level}` : name, ...counts, secondsSince(start)]);
  }
}
printRow([`${names.length} tasks`, ...sums, secondsSince(started)]);
process.exitCode = sums[2] > 0 ? 1 : 0;
