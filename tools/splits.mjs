/**
 * `npm run splits -- [--task NAME] [--train N] [--held-out N]`: does training ever see a held-out problem?
 *
 * Draws problems of the training stream of every task, at its default knobs, until it has enough different ones (100,000)
 * or drawing gives hardly any new, and compares them with as many held-out ones (10,000) or all. Any in common is printed,
 * and makes the exit status 1. Reads build/: `npm run build:js` first.
 */
import { parseArgs } from 'node:util';
import { bindTask, registeredTasks } from '../build/data/index.js';

const options = {
  task: { type: 'string' },
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

/** Keys of different problems of the training stream. */
function trainKeys(task) {
  const keys = new Set();
  const most = Math.min(train, task.trainProblems() ?? train);
  for (let index = 0, last = 0; keys.size < most && index - last < Math.max(2000, PATIENCE * keys.size); index++) {
    const { key } = task.trainItem(0, index);
    if (keys.has(key)) continue;
    keys.add(key);
    last = index;
  }
  return keys;
}

const WIDTHS = [28, 10, 10, 10, 8];

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
  const start = performance.now();
  const task = bindTask(await registeredTasks[name].load(), {}, { heldOutSample: heldOut });
  const held = new Set(task.heldOutItems().map(({ key }) => key));
  const seen = trainKeys(task);
  const shared = [...held].filter((key) => seen.has(key));
  for (const key of shared) process.stderr.write(`${name}: ${key} is trained on and held out\n`);
  const counts = [seen.size, held.size, shared.length];
  counts.forEach((count, i) => {
    sums[i] += count;
  });
  printRow([name, ...counts, secondsSince(start)]);
}
printRow([`${names.length} tasks`, ...sums, secondsSince(started)]);
process.exitCode = sums[2] > 0 ? 1 : 0;
