/**
 * Does a fleet pay on a hard problem, where most groups are dead?
 *
 *   npm run bench -- fleet-hard [--steps 6] [--repeats 3] [--quick] [--json FILE]
 *
 * countdown with four numbers, after a short supervised stage: nearly all groups have no right answer, and dynamic_sampling
 * refills them for up to eight rounds. The reinforcement of the same start is trained by one thread, by two, and by a learner of
 * one thread with one and with two workers of a thread each, over a NATS server of this machine (`nats-server` on the PATH), by
 * turns. All are the same run to the bit, which is checked. Groups and steps a minute are those of the steps, evaluations apart.
 * They say something on a machine that does nothing else: one that is busy gives each process a share, so that three have three.
 */
import { join } from 'node:path';
import { describeMachine, fail, machineLine, readFlags, spread, table, writeJson } from './command.mjs';
import { inRunFolder, leftBy } from './fleet_runs.mjs';
import { summarize } from './statistics.mjs';

const TASK = 'task: {name: countdown, answer: steps, numbers: 4, max_number: 10, correct_share: 0.5}';
const MODEL = 'model: {hidden_size: 64, num_hidden_layers: 4, num_attention_heads: 8, intermediate_size: 176}';
const START = (steps) => `${TASK}
${MODEL}
seed: 0
stages:
  - {stage: sft, max_steps: ${steps}, per_device_train_batch_size: 64, learning_rate: 2.0e-3, eval_strategy: 'no'}
`;
const HARD = (model, steps) => `${TASK}
model_name_or_path: ${JSON.stringify(model)}
seed: 0
max_steps: ${steps}
num_generations: 16
generation_batch_size: 256
learning_rate: 1.0e-4
dynamic_sampling: {name: refill, max_rounds: 8}
eval_strategy: 'no'
num_generations_eval: 1
eval_samples: 8
`;
const WAYS = {
  'one thread': ['--threads', '1'],
  'two threads': ['--threads', '2'],
  'one thread and 1 worker': ['--threads', '1', '--workers', '1'],
  'one thread and 2 workers': ['--threads', '1', '--workers', '2'],
};

const flags = readFlags({ repeats: 3, quickRepeats: 1, further: { steps: { type: 'string', default: '6' } } });
const steps = Number(flags.steps);
if (!Number.isInteger(steps) || steps < 2) fail(`--steps ${flags.steps} — not a whole number of 2 or more; use 6.`);
const machine = describeMachine();
const turns = Object.fromEntries(Object.keys(WAYS).map((way) => [way, []]));
inRunFolder((train) => {
  const start = join(train('start', START(flags.quick ? 200 : 400), ['--threads', '2']), 'model');
  for (let turn = 0; turn < flags.repeats; turn++) {
    for (const [way, words] of Object.entries(WAYS)) {
      turns[way].push(measured(train(`${turn}-${way}`, HARD(start, steps), words)));
      process.stderr.write(`${way}: ${turns[way].at(-1).stepsPerMinute.toFixed(1)} steps a minute\n`);
    }
  }
});
report();

function measured(directory) {
  const { steps: all, batches, summary } = leftBy(directory);
  const own = all.slice(1); // the first one waits for workers to join
  const sum = (lines, of) => lines.reduce((total, line) => total + of(line), 0);
  const seconds = sum(own, (line) => line.step_time);
  const drawn = [...own, ...batches.filter(({ step }) => step > all[0].step)];
  const groups = sum(drawn, (line) => line['groups/drawn']);
  const { weightsSha256, split } = summary;
  return {
    stepsPerMinute: (60 * own.length) / seconds,
    groupsPerMinute: (60 * groups) / seconds,
    sampling: split.rollout / (split.rollout + split.verify + split.update),
    dead: 1 - sum(drawn, (line) => line['groups/live']) / groups,
    sha: weightsSha256,
  };
}

function report() {
  const hashes = new Set(Object.values(turns).flatMap((own) => own.map(({ sha }) => sha)));
  if (hashes.size !== 1) fail(`the runs differ: ${[...hashes].join(', ')}.`);
  const [alone] = Object.values(turns);
  const rows = Object.entries(turns).map(([way, own]) => ({
    way,
    stepsPerMinute: summarize(own.map(({ stepsPerMinute }) => stepsPerMinute)),
    groupsPerMinute: summarize(own.map(({ groupsPerMinute }) => groupsPerMinute)),
    gain: summarize(own.map(({ stepsPerMinute }, turn) => stepsPerMinute / alone[turn].stepsPerMinute)),
  }));
  const { dead, sampling } = alone[0];
  const lines = rows.map(({ way, stepsPerMinute, groupsPerMinute, gain }) => [
    way,
    spread(stepsPerMinute, 1),
    spread(groupsPerMinute, 0),
    spread(gain, 2),
  ]);
  const about = `${steps - 1} steps a run, ${flags.repeats} runs each by turns; ${(100 * dead).toFixed(0)} % of groups dead, ${(100 * sampling).toFixed(1)} % of a step is sampling; the same weights each time`;
  const heads = ['', 'steps a minute', 'groups a minute', 'times one thread (quartiles)'];
  process.stdout.write(`${[machineLine(machine), about, '', table(heads, lines)].join('\n')}\n`);
  if (flags.json !== undefined) writeJson(flags.json, 'fleet-hard', { machine, steps, dead, sampling, rows });
}
