/**
 * How many bytes are weights on their way to workers?
 *
 *   npm run bench -- fleet-weights [--steps 6] [--rates 1e-6,1e-4,1e-3] [--json FILE]
 *
 * Of the race's policy, whose weights are sent whole, and of a LoRA adapter beside SmolLM2-135M, of which the adapter alone is
 * sent: bytes of a step (the xor with the weights that were sent whole last, its high byte planes deflated) after each of some
 * optimizer steps, as a learner sends them to a server on another machine, beside the bytes of all that is trained and of the
 * model. A step grows with the learning rate and with the steps since weights were sent whole. Bytes are the same on any machine.
 */
import { huffman } from '../build/packages/fleet/deflate.node.js';
import { SentWeights } from '../build/packages/fleet/sent_weights.js';
import { describeMachine, machineLine, readFlags, table, writeJson } from './command.mjs';
import { modelGiven, openLoraWorkload, SMOLLM2 } from './lora_workload.mjs';
import { openWorkload, parameterCount, RACE, stepper } from './workload.mjs';

/** A short step of the adapter: what is sent depends on neither lengths nor completions. */
const LORA = { promptTokens: 24, completionTokens: 8, prompts: 2, groupSize: 4 };
const REWARDED_BELOW = 1000;

const flags = readFlags({
  further: {
    steps: { type: 'string', default: '6' },
    rates: { type: 'string', default: '1e-6,1e-4,1e-3' },
  },
});
modelGiven(SMOLLM2);
const steps = Number(flags.steps);
const machine = describeMachine();
const rows = [];
for (const rate of flags.rates.split(',').map(Number)) {
  const further = { learning_rate: rate };
  rows.push(await measured('race', rate, await openWorkload(RACE, { threads: 1, further })));
  const lora = await openLoraWorkload(SMOLLM2, LORA, { threads: 1, rewardedBelow: REWARDED_BELOW, stage: further });
  rows.push(await measured('SmolLM2 by LoRA', rate, lora));
}
report();

async function measured(job, rate, run) {
  const { policy } = run.engine;
  const bus = { putWeights: async () => undefined, dropWeights: async () => undefined };
  const sent = new SentWeights(bus, huffman);
  await sent.take(policy, 0);
  const whole = await sent.send();
  const step = stepper(run);
  const bytes = [];
  for (let version = 1; version <= steps; version++) {
    await step();
    await sent.take(policy, version);
    bytes.push(await sent.send());
  }
  const row = { job, rate, model: 4 * parameterCount(run), whole, steps: bytes };
  await policy.close();
  return row;
}

function report() {
  const share = (part, of) => (part / of).toFixed(3);
  const lines = rows.map(({ job, rate, model, whole, steps: sent }) => [
    job,
    rate,
    model,
    whole,
    sent[0],
    share(sent[0], whole),
    share(sent.at(-1), whole),
    share(sent.reduce((sum, bytes) => sum + bytes, 0) / sent.length, model),
  ]);
  const heads = [
    'job',
    'rate',
    'model, bytes',
    'trained',
    'first step',
    'of what is trained',
    `step ${steps}`,
    'all, of the model',
  ];
  process.stdout.write(`${[machineLine(machine), '', table(heads, lines)].join('\n')}\n`);
  if (flags.json !== undefined) writeJson(flags.json, 'fleet-weights', { machine, rows });
}
