/**
 * When does a fleet pay, and how far?
 *
 *   npm run bench -- fleet [--workers 1,2,4,8,16,32] [--repeats 2] [--json FILE]
 *
 * First over a NATS server of this machine (`nats-server` on the PATH): workers that sleep for a second a group in the place of
 * sampling, so that a busy machine measures the same as an idle one, with an update of a second. With sampling the groups'
 * seconds over the workers, in whole tasks, and fetch what the same step takes of groups that cost nothing, seconds of a step
 * are set beside
 *
 *   update + sampling + fetch          where a batch is sampled before its update
 *   max(update, sampling + fetch)      where it is sampled beside the update of an older one (staleness: 1)
 *
 * Then a simulation of the same protocol, with up to 1,000 workers on lines of 10 Mbit/s, whose speeds differ: which jobs gain how
 * much, and with how many workers a further doubling brings less than a tenth.
 */

import { encodeJson } from '../build/packages/fleet/cards.js';
import { Fleet } from '../build/packages/fleet/fleet.js';
import { startLocalServer } from '../build/packages/fleet/nats/local_server.node.js';
import { connectLearner, connectWorker } from '../build/packages/fleet/nats/nats_connect.node.js';
import { planTasks } from '../build/packages/fleet/plan_tasks.js';
import { decodeTask, encodeResult, MESSAGE_BYTES, PROTOCOL } from '../build/packages/fleet/protocol.js';
import { randomHex } from '../build/packages/fleet/random_hex.js';
import { EngineTurns } from '../build/src/grpo/engine_turns.js';
import { rngFor } from '../build/src/kernels/philox.js';
import { describeMachine, fail, machineLine, readFlags, table, writeJson } from './command.mjs';

const GROUPS = 16;
const ROLLOUTS = 8;
const GROUP_SECONDS = 1;
const UPDATE_SECONDS = 1;
const WEIGHT_FLOATS = 250_000;
const TOKENS = 32;

const machine = describeMachine();
const flags = readFlags({ repeats: 2, further: { workers: { type: 'string', default: '1,2,4,8,16,32' } } });
const counts = flags.workers.split(',').map(Number);
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** The same completion for all: what is measured is who waits for whom. */
function completion() {
  const floats = () => new Float32Array(TOKENS);
  const tokens = new Int32Array(TOKENS);
  return { tokens, logprobs: floats(), entropies: floats(), keptLogMass: floats(), finishReason: 'stop' };
}
const answer = (requests) => requests.map(({ rollouts }) => rollouts.map(completion));
const SETTINGS = {
  sampling: { temperature: 1, topK: 0, topP: 1, minP: null },
  samplingKey: [1, 2],
  maxCompletionTokens: TOKENS,
  fixedCompletionTokens: TOKENS,
  stopIds: [],
};
const requests = Array.from({ length: GROUPS }, (_, g) => ({
  prompt: Int32Array.of(1),
  rollouts: Array.from({ length: ROLLOUTS }, (__, i) => ({ rollout: g * ROLLOUTS + i })),
}));

/** Seconds of a group, as it is now. */
let groupSeconds = 0;

/** Takes tasks and sleeps, until it is stopped. */
async function sleeper(url, run, signal) {
  const bus = await connectWorker(url, () => undefined, signal);
  const worker = randomHex(16);
  let known;
  bus.onCard(() => bus.present(run, encodeJson({ worker, name: 'sleeper' })));
  while (!signal.aborted) {
    const bytes = await bus.next(run, 200);
    if (!(bytes instanceof Uint8Array)) {
      await sleep(0.05);
      continue;
    }
    const { id, weights, requests: asked } = decodeTask(bytes);
    if (known !== weights.sha256) {
      const parts = Math.ceil(weights.bytes / MESSAGE_BYTES);
      for (let part = 0; part < parts; part++) await bus.readWeights(run, weights.sha256.slice(0, 32), part);
      known = weights.sha256;
    }
    const groups = asked.reduce((sum, { rollouts }) => sum + rollouts.length, 0) / ROLLOUTS;
    const seconds = groups * groupSeconds;
    await sleep(seconds);
    await bus.answer(run, encodeResult({ task: id, worker, seconds, completions: answer(asked) }));
  }
  await bus.close();
}

/** Seconds of a step with this many workers that sleep, in turn and ahead, and of sampling groups that cost nothing. */
async function measured(workers) {
  const server = await startLocalServer().catch(({ message }) => fail(message));
  const fleet = new Fleet(await connectLearner(server.learnerUrl), { verifyShare: 0, say: () => undefined });
  const run = randomHex(8);
  const stop = new AbortController();
  const weights = new Float32Array(WEIGHT_FLOATS);
  let version = 0;
  const policy = {
    engine: {},
    adapterParameters: [],
    parameters: [{ slot: { shape: [WEIGHT_FLOATS] } }],
    readParameter: async () => weights.map((_, i) => (i === 0 ? version : 0)),
  };
  const local = {
    sample: async (asked) => ({ completions: answer(asked) }),
    get weightsVersion() {
      return version;
    },
  };
  await fleet.open(run, card());
  const sleeping = Array.from({ length: workers }, () => sleeper(server.workerUrl, run, stop.signal));
  while (fleet.figures.workers < workers) await sleep(0.05);
  const generator = fleet.generator(policy, local);
  await generator.sample(requests.slice(0, workers), { ...SETTINGS }); // each worker is checked at its first group
  const least = async (group, work) => {
    groupSeconds = group;
    const seconds = [];
    for (let step = 0; step < flags.repeats; step++) {
      const start = performance.now();
      version++;
      await work();
      seconds.push((performance.now() - start) / 1000);
    }
    return Math.min(...seconds);
  };
  const sample = () => generator.sample(requests, SETTINGS);
  const update = () => sleep(UPDATE_SECONDS);
  const fetching = await least(0, sample);
  const inTurn = await least(GROUP_SECONDS, async () => {
    await sample();
    await update();
  });
  const ahead = await least(GROUP_SECONDS, async () => {
    const turns = new EngineTurns(() => performance.now());
    await Promise.all([generator.beside(turns).sample(requests, SETTINGS), turns.learn(update)]);
  });
  stop.abort();
  await Promise.all(sleeping);
  await fleet.close();
  await server.close();
  return { fetching, inTurn, ahead };
}

function card() {
  const shape = {
    vocabSize: 8,
    hiddenSize: 2,
    intermediateSize: 2,
    numLayers: 1,
    numHeads: 1,
    numKvHeads: 1,
    headDim: 2,
  };
  const rest = { ropeTheta: 1e4, rmsNormEps: 1e-6, tieWordEmbeddings: true, attentionBias: false, qkNorm: false };
  const capacity = { rows: 1, completions: 1, kvRows: 1, context: 1 };
  return {
    protocol: PROTOCOL,
    version: 'bench',
    shape: { ...shape, ...rest },
    backend: 'wasm',
    features: {},
    capacity,
  };
}

/** Seconds that the tasks of a call take on equal workers. */
function samplingSeconds(workers, groupSeconds, asked, settings) {
  const parts = planTasks(asked, settings, workers).map(({ requests: own }) =>
    own.reduce((sum, { rollouts }) => sum + rollouts.length, 0),
  );
  const free = new Array(workers).fill(0);
  for (const rollouts of parts) {
    const first = free.indexOf(Math.min(...free));
    free[first] += (rollouts / asked[0].rollouts.length) * groupSeconds;
  }
  return Math.max(...free);
}

/** A job as a simulation knows it: seconds are those of a core. */
const JOBS = {
  'countdown (1M weights)': { groups: 16, rollouts: 16, tokens: 24, group: 0.05, update: 0.8, weightBytes: 4e6 },
  'the same, nine groups of ten dead': {
    groups: 160,
    rollouts: 16,
    tokens: 24,
    group: 0.05,
    update: 0.8,
    weightBytes: 4e6,
  },
  'long answers (10M weights)': { groups: 32, rollouts: 16, tokens: 512, group: 20, update: 500, weightBytes: 4e7 },
  'LoRA beside 135M weights': { groups: 16, rollouts: 8, tokens: 128, group: 30, update: 400, weightBytes: 5e6 },
  'the same, the learner on a GPU': { groups: 16, rollouts: 8, tokens: 128, group: 30, update: 4, weightBytes: 5e6 },
  'an evaluation of 1,000 problems by LoRA': {
    groups: 1000,
    rollouts: 1,
    tokens: 128,
    group: 4,
    update: 0,
    weightBytes: 5e6,
  },
};
const LINE_BYTES = 10e6 / 8;
const SERVER_BYTES = 1e9 / 8;
const LATENCY = 0.05;
const SIMULATED = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000];

/** Seconds of a step, event by event: a worker fetches the weights over its line and the server's, then takes task after task. */
function simulated({ groups, rollouts, tokens, group, update, weightBytes }, workers) {
  const rng = rngFor(`fleet ${workers}`);
  const asked = Array.from({ length: groups }, () => ({
    prompt: Int32Array.of(1),
    rollouts: Array.from({ length: rollouts }, (_, rollout) => ({ rollout })),
  }));
  const settings = { ...SETTINGS, maxCompletionTokens: tokens, fixedCompletionTokens: tokens };
  const parts = planTasks(asked, settings, workers).map(({ requests: own }) =>
    own.reduce((sum, { rollouts: all }) => sum + all.length, 0),
  );
  const busy = Math.min(workers, parts.length);
  const fetch = Math.max(weightBytes / LINE_BYTES, (busy * weightBytes) / SERVER_BYTES) + LATENCY;
  const pool = Array.from({ length: workers }, () => ({ at: fetch, speed: 0.8 + 0.4 * rng.float() }));
  for (const count of parts) {
    const next = pool.reduce((first, worker) => (worker.at < first.at ? worker : first));
    const upload = (16 * tokens * count) / LINE_BYTES;
    next.at += LATENCY + ((count / rollouts) * group) / next.speed + upload;
  }
  const sampling = Math.max(...pool.filter(({ at }) => at > fetch).map(({ at }) => at));
  return { inTurn: update + sampling, ahead: Math.max(update, sampling) };
}

const measuredRows = [];
for (const workers of counts) {
  const { fetching, inTurn, ahead } = await measured(workers);
  const sampling = samplingSeconds(workers, GROUP_SECONDS, requests, SETTINGS) + fetching;
  const expected = { inTurn: UPDATE_SECONDS + sampling, ahead: Math.max(UPDATE_SECONDS, sampling) };
  const ratio = { inTurn: inTurn / expected.inTurn, ahead: ahead / expected.ahead };
  measuredRows.push({ workers, fetching, seconds: { inTurn, ahead }, expected, ratio });
  process.stderr.write(`${workers} workers: ${inTurn.toFixed(2)} s a step, ahead ${ahead.toFixed(2)} s\n`);
}
const simulatedRows = Object.entries(JOBS).map(([name, job]) => {
  const alone = job.update + job.groups * job.group;
  const gains = SIMULATED.map((workers) => {
    const { inTurn, ahead } = simulated(job, workers);
    return { workers, inTurn: alone / inTurn, ahead: alone / ahead };
  });
  const saturatesAt = (way) => {
    const last = gains.findIndex(({ [way]: gain }, i) => i + 1 < gains.length && gains[i + 1][way] < 1.1 * gain);
    return gains[last < 0 ? gains.length - 1 : last].workers;
  };
  const saturates = { inTurn: saturatesAt('inTurn'), ahead: saturatesAt('ahead') };
  return { name, ...job, gains, saturates, ...(job.update > 0 && { bound: alone / job.update }) };
});
const round = (value) => Number(value.toPrecision(3));
const short = (rows) =>
  JSON.parse(JSON.stringify(rows, (_, value) => (typeof value === 'number' ? round(value) : value)));

console.log(machineLine(machine));
const WAYS = ['inTurn', 'ahead'];
console.log(
  table(
    ['workers', 's a step', 'expected', 'ratio', 'ahead', 'expected', 'ratio'],
    measuredRows.map(({ workers, seconds, expected, ratio }) => [
      workers,
      ...WAYS.flatMap((way) => [seconds[way], expected[way], ratio[way]].map((value) => value.toFixed(2))),
    ]),
  ),
);
console.log(
  table(
    ['gain by simulation', ...SIMULATED, 'saturates'],
    simulatedRows.flatMap(({ name, gains, saturates }) =>
      WAYS.map((way) => [
        way === 'ahead' ? `${name}, ahead` : name,
        ...gains.map(({ [way]: gain }) => gain.toFixed(1)),
        saturates[way],
      ]),
    ),
  ),
);
if (flags.json !== undefined) {
  const settings = { groups: GROUPS, rollouts: ROLLOUTS, groupSeconds: GROUP_SECONDS, updateSeconds: UPDATE_SECONDS };
  writeJson(flags.json, 'fleet', { machine, settings, measured: short(measuredRows), simulated: short(simulatedRows) });
}
process.exit(0); // the connections' timers would keep it for a while
