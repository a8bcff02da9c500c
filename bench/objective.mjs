/**
 * What does an objective on the host cost, against the engine's own kernel?
 *
 *   npm run bench -- objective [--repeats 30] [--quick] [--threads 2] [--backend wasm] [--adapter NAME] [--json FILE]
 *
 * Two runs of the race start from the same weights and take their steps in turn. One computes the clipped objective by
 * the engine's kernel. The other has the very same objective without its `device`: log-probs and entropies come to the
 * host, the terms add up in float64, and the derivatives go back. Three figures per step: the whole of it; from the
 * first forward pass to the end of the optimizer; and what the host does between the two passes, which is timed by
 * itself, since it is less than two steps differ by. Before a figure is printed, both sides must have had the same
 * gradient in their first step, and the same weights three steps later.
 *
 * --backend webgpu takes the adapter that Dawn prefers, and also counts the calls of a step. A software adapter gets 4
 * prompts × 4: it measures the machine's processor.
 */
import { webgpuBackend } from '../build/packages/rlvr-train/index.js';
import { adapterLine } from '../build/packages/webgpu/adapter.js';
import { ppoClip } from '../build/src/methods/objectives/ppo_clip.js';
import { fail, machineLine, spread, table, writeJson } from './command.mjs';
import { countedGpu } from './gpu_calls.mjs';
import { readRace } from './race_flags.mjs';
import { summarize } from './statistics.mjs';
import { compare, counted, takeTurns } from './turns.mjs';
import { LEARNING_RATE, openWorkload, stepper, VOCABULARY, workloadLine } from './workload.mjs';

/** A method that is not built in is looked up by the name of its file. There is no such file. */
const HOST_OBJECTIVE = './ppo_clip_on_the_host.mjs';
const hostObjective = {
  ...ppoClip,
  id: 'ppo-clip-on-the-host',
  create(options, stage) {
    const { device: _, ...surrogate } = ppoClip.create(options, stage);
    return surrogate;
  },
};

/** Relative to the gradient's length, and absolute for the weights: the kernel computes in float32. */
const TOLERANCE = 1e-5;
const CHECKED_STEPS = 4;
const LIMIT_SECONDS = 240;

const { quick, repeats, json, backend, threads, machine, gpu, adapter, workload } = await readRace(30);

const sides = { device: await openSide('device', gpu), host: await openSide('host', gpu) };
const agreement = await agreementOf(sides.device, sides.host);
const taken = await takeTurns(
  { device: sides.device.turn, host: sides.host.turn },
  { warmup: quick ? 0 : 2, repeats, limitSeconds: LIMIT_SECONDS },
);
const line = workloadLine(workload, sides.device.run);
for (const { run } of Object.values(sides)) await run.engine.policy.close();
const calls = gpu && { device: await callsOf('device'), host: await callsOf('host') };
report(figures(), line);
process.exit(); // Dawn and the compute threads of wasm may still be waiting

/** A run with its objective on `where`; its steps give what `watchObjective` times. */
async function openSide(where, source) {
  const run = await openWorkload(workload, {
    threads,
    ...(source && { backend: webgpuBackend(source) }),
    ...(where === 'host' && { further: { objective: HOST_OBJECTIVE }, methods: { [HOST_OBJECTIVE]: hostObjective } }),
  });
  const step = stepper(run);
  const takeTimes = watchObjective(run.engine.policy);
  const turn = async () => {
    takeTimes();
    const { seconds } = await step();
    return { seconds, ...takeTimes() };
  };
  return { run, turn };
}

/**
 * Times the objective in a policy's calls, in seconds since the times were last taken: `update`, from the first forward
 * pass of a step to the end of its optimizer, and `between`, from the end of `forward` to `backward`.
 */
function watchObjective(policy) {
  let times = { update: 0, between: 0 };
  let start;
  let forwarded;
  const watch = (name, before, after) => {
    const original = policy[name].bind(policy);
    policy[name] = async (...args) => {
      before?.(performance.now() / 1000);
      const result = await original(...args);
      after?.(performance.now() / 1000);
      return result;
    };
  };
  const begin = (now) => {
    start ??= now;
  };
  watch('accumulate', begin);
  watch('forward', begin, (now) => {
    forwarded = now;
  });
  watch('backward', (now) => {
    times.between += now - forwarded;
  });
  watch('optimize', undefined, (now) => {
    times.update += now - start;
    start = undefined;
  });
  return () => {
    const before = times;
    times = { update: 0, between: 0 };
    return before;
  };
}

/** Steps of both sides, whose gradients and weights are compared: `gradient` of its length, `weights` absolute. */
async function agreementOf(device, host) {
  const both = async (which) => [
    await device.run.engine.policy.readVector(which),
    await host.run.engine.policy.readVector(which),
  ];
  await device.turn();
  await host.turn();
  const [mine, other] = await both('gradients');
  const gradient = distance(mine, other) / distance(mine, new Float32Array(mine.length));
  for (let step = 1; step < CHECKED_STEPS; step++) {
    await device.turn();
    await host.turn();
  }
  const [left, right] = await both('weights');
  const weights = left.reduce((most, weight, i) => Math.max(most, Math.abs(weight - right[i])), 0);
  if (!(gradient <= TOLERANCE && weights <= TOLERANCE))
    fail(`the sides differ: gradients by ${gradient} of their length, weights by ${weights}.`);
  return { gradient, weights, steps: CHECKED_STEPS };
}

function distance(a, b) {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0));
}

/** What a warm step asks of WebGPU. Counting takes time, so it is done apart. */
async function callsOf(where) {
  const { source, take } = countedGpu(gpu);
  const { run, turn } = await openSide(where, source);
  await turn();
  take();
  await turn();
  const { dispatches, submissions, writes, mappings } = take();
  await run.engine.policy.close();
  return { dispatches, submissions, writes, mappings };
}

function figures() {
  const between = summarize(counted(taken.host).map((turn) => turn.between));
  const step = compare(taken, ({ seconds }) => seconds, 'device');
  const update = compare(taken, (turn) => turn.update, 'device');
  return { step, update, between, shareOfStep: between.median / step.device.median };
}

function report(results, work) {
  const { step, update, between, shareOfStep } = results;
  const row = (name, { ratio, ...seconds }) => [
    name,
    spread(seconds),
    ratio && `${ratio.ofMedians.toFixed(3)}×`,
    ratio && spread(ratio.paired, 3),
  ];
  const { repeats: turns } = step.host;
  const where = adapter === undefined ? `wasm, ${threads} threads` : adapterLine(adapter);
  const lines = [
    machineLine(machine),
    `an objective on ${where}: ${work}`,
    `the clipped objective, µ 1, beta 0, AdamW, clipping at 1; ${turns} repeats in turn`,
    `agreement: gradients differ by ${agreement.gradient.toExponential(1)} of their length, weights after ${agreement.steps} steps by at most ${agreement.weights.toExponential(1)}`,
    '',
    table(
      ['', 'seconds (quartiles)', 'of the kernel’s time', 'turn by turn'],
      [
        row('step: by the kernel', step.device),
        row('step: on the host', step.host),
        row('forward pass to optimizer: by the kernel', update.device),
        row('forward pass to optimizer: on the host', update.host),
      ],
    ),
    '',
    `between the passes: ${spread(milliseconds(between), 2)} ms on the host, ${(100 * shareOfStep).toFixed(2)} % of a step by the kernel`,
  ];
  if (calls !== undefined) lines.push('', callsTable());
  process.stdout.write(`${lines.join('\n')}\n`);
  if (json === undefined) return;
  const settings = { ...workload, backend, vocabulary: VOCABULARY, threads, learningRate: LEARNING_RATE };
  const raw = Object.fromEntries(Object.entries(taken).map(([name, { turns: all }]) => [name, all]));
  writeJson(json, 'objective', { machine, adapter, settings, agreement, ...results, calls, turns: raw });
}

function milliseconds({ median, low, high }) {
  return { median: 1000 * median, low: 1000 * low, high: 1000 * high };
}

function callsTable() {
  const cells = ({ dispatches, submissions, writes, mappings }) => [dispatches, submissions, writes, mappings];
  return table(
    ['calls of a step', 'dispatches', 'submissions', 'writes', 'mappings'],
    [
      ['by the kernel', ...cells(calls.device)],
      ['on the host', ...cells(calls.host)],
    ],
  );
}
