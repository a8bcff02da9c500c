/**
 * What does one recipe do on many tasks, each in about two minutes: does the policy solve more, or is it surer of what it could do? Those of tier 1, or any that are named.
 *
 *   npm run bench -- recipe [--only gcd,dyck] [--small] [--seeds 0] [--threads 2] [--fleet URL] [--force] [--quick]
 *
 * Trains configs/any-task.yaml once per task and seed, and configs/six-tasks.yaml once per seed, as the command does; with
 * --small bench/recipes/small.yaml instead, whose policy is smaller, in a minute of one core. Each
 * row is written to bench/results/recipe.json when it is done, and a row that is there, of the same config, is kept: a
 * measurement may be interrupted, and is continued by the same command. `--quick` takes two steps of each and writes
 * nothing: whether every row can run. With `--fleet` the workers of a fleet train the rows, each whole (docs/fleet.md), into runs/bench.
 *
 * Accuracies and weights are the same on any machine with the same JavaScript engine; seconds are those of the machine at
 * that time, with whatever else it did.
 */

import { registeredTasks } from '../build/packages/rlvr-train/tasks.js';
import { riseOf } from '../build/src/methods/support/figures/rise.js';
import { fail, readFlags, table } from './command.mjs';
import { FLEET_FLAG } from './given_rows.mjs';
import { figure, keptRows, readSeeds, share, trained } from './kept_rows.mjs';

const flags = readFlags({
  further: {
    only: { type: 'string' },
    small: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '0' },
    threads: { type: 'string', default: '2' },
    force: { type: 'boolean', default: false },
    ...FLEET_FLAG,
  },
});
const seeds = readSeeds(flags.seeds);
const only = flags.only?.split(',');
const asked = Object.entries(registeredTasks).filter(([name, { card }]) => only?.includes(name) ?? card.tier === 1);
/** Where level 0 has so few problems that a policy learns them by heart: countdown's 410 of two numbers. */
const levels = { countdown: 1 };
const ofTask = (name) => [`task.name=${name}`, ...(name in levels ? [`task.level=${levels[name]}`] : [])];
const size = flags.small ? ', small' : '';
const config = flags.small ? 'bench/recipes/small.yaml' : 'configs/any-task.yaml';
const sixTasks = { name: 'six-tasks', config: 'configs/six-tasks.yaml', set: [] };
const wanted = [
  ...asked.map(([name]) => ({ name: name + size, config, set: ofTask(name) })),
  ...(!flags.small && (only?.includes('six-tasks') ?? true) ? [sixTasks] : []),
];
if (wanted.length === 0) fail(`--only ${flags.only} — no task has this name, and it is not six-tasks.`);
const { rows, measure, giveOutAll } = keptRows('recipe', flags);
const short = ['sft.max_steps=2', 'sft.warmup_steps=0', 'grpo.max_steps=2', 'grpo.warmup_steps=0'];
const all = wanted.flatMap(({ name, config, set }) =>
  seeds.map((seed) => ({
    key: `${name}, seed ${seed}`,
    config,
    set: [`seed=${seed}`, ...set, ...(flags.quick ? short : [])],
    facts: { task: name, seed },
  })),
);
await giveOutAll(all, flags.fleet);
for (const row of all)
  await measure(row, reached, ({ before, after }) => `sampled ${arrow(before.sampled, after.sampled)}`);
report();

/** What a config reaches. */
function reached(loaded) {
  return trained(loaded, {
    quick: flags.quick,
    threads: Number(flags.threads),
    figuresOf: ({ end: { baseline, final, heldOut, sha }, failed }) => {
      if (failed !== undefined) return { failed };
      return { heldOut, before: accuracies(baseline), after: accuracies(final), sha };
    },
  });
}

/** Accuracies of an evaluation, and of each of its tasks where it has several. */
function accuracies({ accuracy, meanAtK, passAtK, samples, byTask = {} }) {
  const parts = Object.entries(byTask).map(([label, part]) => [label, figure(part.meanAtK)]);
  return {
    greedy: figure(accuracy),
    sampled: figure(meanAtK),
    pass: figure(passAtK[samples]),
    ...(parts.length > 0 && { sampledOfTasks: Object.fromEntries(parts) }),
  };
}

function arrow(before, after) {
  return `${(100 * before.mean).toFixed(1)} → ${(100 * after.mean).toFixed(1)} %`;
}

function report() {
  const measured = Object.values(rows).filter(({ failed }) => failed === undefined);
  const lines = measured.flatMap(({ task, seed, heldOut, before, after, seconds }) => [
    [
      task,
      String(seed),
      String(heldOut),
      share(before.sampled),
      share(after.sampled),
      arrow(before.greedy, after.greedy),
      before.pass && after.pass ? arrow(before.pass, after.pass) : '–', // rows of before it was kept
      riseOf(before, after),
      String(seconds),
    ],
    ...Object.entries(after.sampledOfTasks ?? {}).map(([label, figures]) => [
      `  ${label}`,
      '',
      '',
      share(before.sampledOfTasks[label]),
      share(figures),
      '',
      '',
      '',
      '',
    ]),
  ]);
  const heads = [
    'task',
    'seed',
    'held out',
    'sampled before',
    'sampled after',
    'greedy',
    'pass@K',
    'what rose',
    'seconds',
  ];
  process.stdout.write(`${table(heads, lines)}\n`);
  const isOfSize = (task) => task !== 'six-tasks' && task.endsWith(', small') === flags.small;
  const first = measured.filter(({ task, seed }) => isOfSize(task) && seed === seeds[0]);
  const count = (test) => `${first.filter(({ before, after }) => test(before, after)).length} of ${first.length} tasks`;
  process.stdout.write(
    `${count((before, after) => riseOf(before, after) === 'solves more')} solve more, ${count((before, after) => riseOf(before, after) === 'surer')} are surer; ` +
      `${count((before, after) => after.sampled.mean - before.sampled.mean >= 0.2)} rise by 20 points or more, sampled.\n`,
  );
}
