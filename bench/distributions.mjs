/**
 * What does it cost that a method sees the log-probs of the whole vocabulary?
 *
 *   npm run bench -- distributions [--repeats 10] [--quick] [--threads 2] [--backend wasm] [--adapter NAME] [--json FILE]
 *
 * Four runs of the race take their steps in turn: the clipped objective alone; with the KL of sampled tokens, which scores
 * the reference; with Lp-Reg, which sees the policy's distributions; and with the exact KL, which sees those of policy and
 * reference. Per side: seconds of a step, of its update (credit apart), of the host's work between forward and backward
 * pass, and the bytes that the plan holds more than that of the first side.
 *
 * --backend webgpu takes the adapter that Dawn prefers. A software adapter gets 4 prompts × 4.
 */
import { webgpuBackend } from '../build/packages/rlvr-train/index.js';
import { adapterLine } from '../build/packages/webgpu/adapter.js';
import { machineLine, spread, table, writeJson } from './command.mjs';
import { readRace } from './race_flags.mjs';
import { summarize } from './statistics.mjs';
import { compare, counted, takeTurns } from './turns.mjs';
import { openWorkload, stepper, VOCABULARY, workloadLine } from './workload.mjs';

const SIDES = {
  clipped: {},
  'sampled KL': { beta: 0.01 },
  'Lp-Reg': { loss_terms: ['lp-reg'] },
  'exact KL': { loss_terms: ['kl-exact'] },
};
const LIMIT_SECONDS = 240;

const { quick, repeats, json, backend, threads, machine, gpu, adapter, workload } = await readRace(10);

const sides = {};
for (const [name, keys] of Object.entries(SIDES)) sides[name] = await openSide(keys);
const taken = await takeTurns(Object.fromEntries(Object.entries(sides).map(([name, { turn }]) => [name, turn])), {
  warmup: quick ? 0 : 2,
  repeats,
  limitSeconds: LIMIT_SECONDS,
});
report(workloadLine(workload, sides.clipped.run));
process.exit(); // Dawn and the compute threads of wasm may still be waiting

async function openSide(keys) {
  const run = await openWorkload(workload, { threads, ...(gpu && { backend: webgpuBackend(gpu) }), further: keys });
  const step = stepper(run);
  const takeBetween = watchBetween(run.engine.policy);
  const turn = async () => {
    const { seconds, split } = await step();
    return { seconds, update: split.update, between: takeBetween() };
  };
  return { run, turn };
}

/** Seconds from the end of a forward pass to its backward pass, since they were last taken. */
function watchBetween(policy) {
  let [seconds, forwarded] = [0, 0];
  const [forward, backward] = [policy.forward.bind(policy), policy.backward.bind(policy)];
  policy.forward = async (...args) => {
    const scores = await forward(...args);
    forwarded = performance.now() / 1000;
    return scores;
  };
  policy.backward = (...args) => {
    seconds += performance.now() / 1000 - forwarded;
    return backward(...args);
  };
  return () => {
    const before = seconds;
    seconds = 0;
    return before;
  };
}

function report(work) {
  const step = compare(taken, ({ seconds }) => seconds, 'clipped');
  const update = compare(taken, (turn) => turn.update, 'clipped');
  const between = Object.fromEntries(
    Object.entries(taken).map(([name, side]) => [name, summarize(counted(side).map((turn) => turn.between))]),
  );
  const bytesOf = ({ run }) => run.engine.policy.engine.bytes;
  const bytes = Object.fromEntries(
    Object.entries(sides).map(([name, side]) => [name, bytesOf(side) - bytesOf(sides.clipped)]),
  );
  const rows = Object.keys(sides).map((name) => [
    name,
    spread(step[name]),
    step[name].ratio ? `${step[name].ratio.ofMedians.toFixed(3)}×` : '',
    spread(update[name]),
    (1000 * between[name].median).toFixed(2),
    (bytes[name] / 1024 ** 2).toFixed(1),
  ]);
  const where = adapter === undefined ? `wasm, ${threads} threads` : adapterLine(adapter);
  const lines = [
    machineLine(machine),
    `whole distributions on ${where}: ${work}`,
    `vocabulary ${VOCABULARY}; ${counted(taken.clipped).length} repeats in turn`,
    '',
    table(['', 'seconds of a step', 'of the first', 'of its update', 'ms between the passes', 'MiB more'], rows),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (json === undefined) return;
  const settings = { ...workload, backend, vocabulary: VOCABULARY, threads };
  const raw = Object.fromEntries(Object.entries(taken).map(([name, { turns }]) => [name, turns]));
  writeJson(json, 'distributions', { machine, adapter, settings, step, update, between, bytes, turns: raw });
}
