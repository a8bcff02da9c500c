/**
 * How much of an update does sampling ahead hide, where a batch is several optimizer steps?
 *
 *   npm run bench -- fleet-overlap [--batches 12] [--repeats 3] [--quick] [--json FILE]
 *
 * sort-digits with batches of 512 completions, of which each is trained on in one, two or four steps, over a NATS server of this
 * machine (`nats-server` on the PATH): a learner of one thread and a worker of one, sampling and learning in turn, and with
 * staleness: 1. The next batch is sampled beside the first of m steps, so that a batch should take
 *
 *   max(update / m, sampling) + update · (m − 1) / m
 *
 * with update and sampling what a batch takes of each in turn, by the median. The first batches, for which workers join and the
 * queue fills, do not count. They say something on a machine that does nothing else.
 */
import { describeMachine, fail, machineLine, readFlags, spread, table, writeJson } from './command.mjs';
import { inRunFolder, leftBy } from './fleet_runs.mjs';
import { quantile, summarize } from './statistics.mjs';

const COMPLETIONS = 512;
/** Optimizer steps of a batch. */
const STEPS = [1, 2, 4];
/** Batches before those that count. */
const WARMUP = 3;
const JOB = (parts, batches, staleness) => `task: {name: sort_digits, digits: 4}
model: {hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, intermediate_size: 176, initializer_range: 0.05}
seed: 0
max_steps: ${parts * (WARMUP + batches)}
num_generations: 16
generation_batch_size: ${COMPLETIONS}
per_device_train_batch_size: ${COMPLETIONS / parts}
gradient_accumulation_steps: 1
learning_rate: 1.0e-3
reward_funcs: [positions]
entropy_coef: 0.03
staleness: ${staleness}
eval_strategy: 'no'
num_generations_eval: 1
eval_samples: 8
`;
const WORDS = ['--threads', '1', '--workers', '1'];

const flags = readFlags({ repeats: 3, quickRepeats: 1, further: { batches: { type: 'string', default: '12' } } });
const batches = Number(flags.batches);
if (!Number.isInteger(batches) || batches < 2) fail(`--batches ${flags.batches} — not a whole number of 2 or more.`);
const machine = describeMachine();
const rows = STEPS.map((parts) => ({ parts, turns: [] }));
inRunFolder((train) => {
  for (let turn = 0; turn < flags.repeats; turn++) {
    for (const { parts, turns } of rows) {
      const way = (staleness) =>
        measured(train(`${turn}-${parts}-${staleness}`, JOB(parts, batches, staleness), WORDS), parts);
      turns.push({ inTurn: way(0), ahead: way(1) });
    }
  }
});
report();

/** Seconds of a batch, and of the steps after its first, in which nothing is sampled in turn. */
function measured(directory, parts) {
  const seconds = leftBy(directory)
    .steps.slice(parts * WARMUP)
    .map((line) => line.step_time);
  const batchesOf = Array.from({ length: batches }, (_, b) => seconds.slice(b * parts, (b + 1) * parts));
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const median = (of) =>
    quantile(
      batchesOf.map(of).sort((a, b) => a - b),
      0.5,
    );
  return { batch: median(sum), later: median((own) => sum(own.slice(1))) };
}

/** What an update of a whole batch takes: where it is one step, as where it is two. */
function updateOf({ parts, turns }, turn) {
  const [several, own] = parts === 1 ? [2, rows[1].turns] : [parts, turns];
  return (own[turn].inTurn.later * several) / (several - 1);
}

function report() {
  const figures = rows.map((row) => {
    const { parts, turns } = row;
    const update = turns.map((_, turn) => updateOf(row, turn));
    const sampling = turns.map(({ inTurn }, turn) => inTurn.batch - update[turn]);
    const expected = turns.map(
      (_, turn) => Math.max(update[turn] / parts, sampling[turn]) + (update[turn] * (parts - 1)) / parts,
    );
    return {
      parts,
      sampling: summarize(sampling),
      update: summarize(update),
      inTurn: summarize(turns.map(({ inTurn }) => inTurn.batch)),
      ahead: summarize(turns.map(({ ahead }) => ahead.batch)),
      expected: summarize(expected),
      gain: summarize(turns.map(({ inTurn, ahead }) => inTurn.batch / ahead.batch)),
      ofExpected: summarize(turns.map(({ ahead }, turn) => ahead.batch / expected[turn])),
    };
  });
  const names = ['sampling', 'update', 'inTurn', 'ahead', 'expected', 'gain', 'ofExpected'];
  const heads = [
    ...['steps a batch', 'sampling', 'update', 'in turn', 'ahead', 'expected'],
    ...['in turn over ahead', 'ahead over expected'],
  ];
  const lines = figures.map((row) => [row.parts, ...names.map((name) => spread(row[name], 3))]);
  const about = `${COMPLETIONS} completions a batch, ${batches} batches a run, ${flags.repeats} runs each by turns; seconds of a batch`;
  process.stdout.write(`${[machineLine(machine), about, '', table(heads, lines)].join('\n')}\n`);
  if (flags.json !== undefined)
    writeJson(flags.json, 'fleet-overlap', { machine, batches, completions: COMPLETIONS, rows: figures });
}
