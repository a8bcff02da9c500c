/**
 * How fast is each wasm kernel at the shapes of the countdown model, on one thread and on two?
 *
 *   npm run bench -- kernels [--repeats 15] [--only TEXT] [--json FILE]
 *
 * A repeat replays a program of CALLS equal calls, so that posting a job to the workers costs little of it. Repeats are
 * interleaved over kernels and threads, so that a machine that slows down slows all of them. Before the clock starts,
 * one call of each, in the order below, is checked against the float64 reference. Times are of one call: the median,
 * and the quartiles around it; GFLOP/s count multiply and add of the products, at the median. Left out: what takes
 * microseconds a step (copy, add, groupAdvantages, gatherRowsBackward).
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { ArenaBuilder } from '../dist/kernels/memory.js';
import { referenceBackend } from '../dist/kernels/reference/engine.js';
import { wasmBackend } from '../dist/kernels/wasm/backend.js';
import { readGitCommit } from '../dist/run/fingerprint.node.js';

const THREADS = [1, 2];
const CALLS = 20;
const { repeats, only, json } = readFlags();

// A training batch of configs/countdown.yaml: ROWS packed rows in GROUPS islands, and the model's widths.
const [ROWS, GROUPS, PROMPT] = [1088, 64, 6];
const CONTEXT = ROWS / GROUPS;
const [D, F, V, HEADS, HEAD] = [128, 336, 110, 4, 32];
const Q = 3 * HEADS * HEAD;
const PARAMETERS = 600_000;

// Weights have an arena of their own, which no case writes: the engine packs them once, outside the clock.
// biome-ignore format: a table
const SHAPES = {
  weights: { wQkv: [Q, D], wOut: [D, D], wGateUp: [2 * F, D], wDown: [D, F], head: [V, D], wNorm: [D] },
  values: {
    x: [ROWS, D], residual: [ROWS, D], dOut: [ROWS, D], qkv: [ROWS, Q], gateUp: [ROWS, 2 * F], inner: [ROWS, F],
    cos: [CONTEXT, HEAD / 2], sin: [CONTEXT, HEAD / 2], dLogprobs: [ROWS], dEntropies: [ROWS],
  },
  results: {
    y: [ROWS, D], dX: [ROWS, D], yQkv: [ROWS, Q], yGateUp: [ROWS, 2 * F], yInner: [ROWS, F], rstd: [ROWS],
    dWQkv: [Q, D], dWOut: [D, D], dWGateUp: [2 * F, D], dWDown: [D, F], dHead: [V, D], dWNorm: [D],
    q: [ROWS, D], kv: [ROWS, 2 * D], dQ: [ROWS, D], dKv: [ROWS, 2 * D], attended: [ROWS, D], scores: [ROWS, HEADS],
    logprobs: [ROWS], logSumExp: [ROWS], entropies: [ROWS], embedded: [ROWS, D], dTable: [V, D],
    losses: [ROWS], dPolicy: [ROWS], dEntropy: [ROWS],
    parameters: [PARAMETERS], gradients: [PARAMETERS], firstMoment: [PARAMETERS], secondMoment: [PARAMETERS],
    partials: [Math.ceil(PARAMETERS / 1024)], norm: [1],
  },
  settings: { temperature: [1], adamw: [8], sampling: [4], objective: [4], advantages: [GROUPS], coefficients: [ROWS] },
  // Not checked: where float32 rounds across an edge of the CDF, another token is as right.
  sampled: { sampledLogprobs: [ROWS], sampledEntropies: [ROWS], keptLogMass: [ROWS] },
  indices: {
    positions: [ROWS], kvRows: [ROWS], intervals: [ROWS, 2, 2], islands: [GROUPS + 1], targets: [ROWS],
    sortedRows: [ROWS], bucketTokens: [V], bucketOffsets: [V + 1], completionOf: [ROWS],
    key: [2], rolloutNumbers: [ROWS, 2], sampledTokens: [ROWS],
  },
};

const { slots: s, plan } = planOperands();
const rows = { begin: 0, end: ROWS };
const heads = { numHeads: HEADS, numKvHeads: HEADS, headDim: HEAD };
const rotary = { qkv: s.qkv, positions: s.positions, cos: s.cos, sin: s.sin, kvRows: s.kvRows, eps: 1e-5, heads, rows };
const attention = {
  q: s.q,
  kv: s.kv,
  intervals: s.intervals,
  out: s.attended,
  logSumExp: s.scores,
  scale: 0.18,
  heads,
};
const output = { hidden: s.x, weight: s.head, targets: s.targets, temperature: s.temperature, rows };
const flop = (inputs, outputs, count = ROWS) => 2 * count * inputs * outputs;

/** Name, call, and FLOP where it is a product. Backward cases read what their forward wrote. */
// biome-ignore format: a table
const CASES = [
  ['embedding', (k) => k.embedding({ tokens: s.targets, table: s.head, out: s.embedded, rows })],
  ['embeddingBackward', (k) => k.embeddingBackward({ dOut: s.dOut, sortedRows: s.sortedRows, bucketTokens: s.bucketTokens, bucketOffsets: s.bucketOffsets, buckets: V, dTable: s.dTable })],
  ['linear qkv', (k) => k.linear({ x: s.x, weight: s.wQkv, out: s.yQkv, rows }), flop(D, Q)],
  ['linear gate+up', (k) => k.linear({ x: s.x, weight: s.wGateUp, out: s.yGateUp, rows }), flop(D, 2 * F)],
  ['linear down', (k) => k.linear({ x: s.inner, weight: s.wDown, residual: s.residual, out: s.y, rows }), flop(D, F)],
  ['linear out', (k) => k.linear({ x: s.x, weight: s.wOut, out: s.y, rows }), flop(D, D)],
  ['linear gate+up, 1 row', (k) => k.linear({ x: s.x, weight: s.wGateUp, out: s.yGateUp, rows: { begin: 0, end: 1 } }), flop(D, 2 * F, 1)],
  ['linearInputGradient qkv', (k) => k.linearInputGradient({ dOut: s.qkv, weight: s.wQkv, dX: s.y, rows }), flop(D, Q)],
  ['linearInputGradient gate+up', (k) => k.linearInputGradient({ dOut: s.gateUp, weight: s.wGateUp, dX: s.y, rows }), flop(D, 2 * F)],
  ['linearInputGradient down', (k) => k.linearInputGradient({ dOut: s.dOut, weight: s.wDown, dX: s.yInner, rows }), flop(D, F)],
  ['linearWeightGradient qkv', (k) => k.linearWeightGradient({ dOut: s.qkv, x: s.x, dWeight: s.dWQkv, rows }), flop(D, Q)],
  ['linearWeightGradient gate+up', (k) => k.linearWeightGradient({ dOut: s.gateUp, x: s.x, dWeight: s.dWGateUp, rows }), flop(D, 2 * F)],
  ['linearWeightGradient down', (k) => k.linearWeightGradient({ dOut: s.dOut, x: s.inner, dWeight: s.dWDown, rows }), flop(D, F)],
  ['linearWeightGradient out', (k) => k.linearWeightGradient({ dOut: s.dOut, x: s.x, dWeight: s.dWOut, rows }), flop(D, D)],
  ['linearLogprob', (k) => k.linearLogprob({ ...output, logprobs: s.logprobs, logSumExp: s.logSumExp, entropies: s.entropies }), flop(D, V)],
  ['linearLogprobBackward', (k) => k.linearLogprobBackward({ ...output, logSumExp: s.logSumExp, entropies: s.entropies, dLogprobs: s.dLogprobs, dEntropies: s.dEntropies, dHidden: s.y, dWeight: s.dHead }), 3 * flop(D, V)],
  ['policyObjective', (k) => k.policyObjective({ logprobs: s.logprobs, oldLogprobs: s.logprobs, refLogprobs: s.logprobs, entropies: s.entropies, advantages: s.advantages, completionOf: s.completionOf, coefficients: s.coefficients, entropyCoefficients: s.coefficients, settings: s.objective, losses: s.losses, dLogprobs: s.dPolicy, dEntropies: s.dEntropy, rows })],
  ['sample', (k) => k.sample({ hidden: s.x, weight: s.head, sampling: s.sampling, key: s.key, rolloutNumbers: s.rolloutNumbers, counters: s.positions, tokens: s.sampledTokens, logprobs: s.sampledLogprobs, entropies: s.sampledEntropies, keptLogMass: s.keptLogMass, rows }), flop(D, V)],
  ['gatherRows, all', (k) => k.gatherRows({ x: s.x, index: s.kvRows, out: s.y, rows })],
  ['rmsNorm', (k) => k.rmsNorm({ x: s.x, weight: s.wNorm, out: s.y, rstd: s.rstd, eps: 1e-5, rows })],
  ['rmsNormBackward', (k) => k.rmsNormBackward({ x: s.x, weight: s.wNorm, rstd: s.rstd, dOut: s.dOut, dX: s.dX, dWeight: s.dWNorm, rows })],
  ['rotary', (k) => k.rotary({ ...rotary, q: s.q, kv: s.kv })],
  ['attention', (k) => k.attention({ ...attention, rows })],
  ['attentionBackward', (k) => k.attentionBackward({ ...attention, dOut: s.dOut, islands: s.islands, islandCount: GROUPS, dQ: s.dQ, dKv: s.dKv })],
  ['rotaryBackward', (k) => k.rotaryBackward({ ...rotary, dQ: s.dQ, dKv: s.dKv, dQkv: s.yQkv })],
  ['swiglu', (k) => k.swiglu({ gateUp: s.gateUp, out: s.yInner, rows })],
  ['swigluBackward', (k) => k.swigluBackward({ gateUp: s.gateUp, dOut: s.inner, dGateUp: s.yGateUp, rows })],
  ['fill 0.6 M', (k) => k.fill({ out: s.gradients, value: 0.001 })],
  ['gradientNorm 0.6 M', (k) => k.gradientNorm({ gradients: s.gradients, partials: s.partials, norm: s.norm })],
  ['adamw 0.6 M', (k) => k.adamw({ parameters: s.parameters, gradients: s.gradients, firstMoment: s.firstMoment, secondMoment: s.secondMoment, norm: s.norm, settings: s.adamw, decayLength: PARAMETERS })],
];

const chosen = CASES.filter(([name]) => only === undefined || name.includes(only));
if (chosen.length === 0)
  fail(`--only: ${only} — no kernel's name has it; use one of ${CASES.map(([name]) => name).join(', ')}`);
const filling = fillings();
const engines = await Promise.all(
  THREADS.map(async (threads) => ({ threads, engine: await (await wasmBackend({ threads })).open(plan) })),
);
try {
  await checkAll();
  const results = await measure();
  const machine = describeMachine();
  process.stdout.write(`${table(machine, results)}\n`);
  if (json !== undefined)
    writeFileSync(json, `${JSON.stringify({ ...machine, repeats, calls: CALLS, results }, null, 2)}\n`);
} finally {
  for (const { engine } of engines) await engine.close();
}

function readFlags() {
  const options = { repeats: { type: 'string', default: '15' }, only: { type: 'string' }, json: { type: 'string' } };
  const { values } = parseArgs({ args: process.argv.slice(3), options });
  const count = Number(values.repeats);
  if (!Number.isInteger(count) || count < 1)
    fail(`--repeats: ${values.repeats} — use a whole number, 10 or more for figures`);
  return { ...values, repeats: count };
}

function fail(message) {
  process.stderr.write(`${message}.\n`);
  process.exit(1);
}

function planOperands() {
  const builders = Object.keys(SHAPES).map(
    (name) => new ArenaBuilder(name, name === 'indices' ? 'int' : 'real', 'bench'),
  );
  const slots = {};
  Object.values(SHAPES).forEach((shapes, i) => {
    for (const [name, shape] of Object.entries(shapes)) slots[name] = builders[i].slot(shape);
  });
  const matrices = [slots.wQkv, slots.wOut, slots.wGateUp, slots.wDown, slots.head];
  const limits = { rows: ROWS, context: CONTEXT, vocabSize: V, width: 2 * F };
  return { slots, plan: { arenas: builders.map((builder) => builder.spec()), matrices, limits } };
}

/** What each slot holds at first: small dense numbers, and groups of one prompt and one completion. */
function fillings() {
  const make = (shape, value) => Array.from({ length: shape.reduce((all, size) => all * size, 1) }, (_, i) => value(i));
  const wave = (shape, i) => make(shape, (at) => 0.1 * Math.sin(7.1 * at + i));
  const { weights, values, results } = SHAPES;
  const first = (row) => row - (row % CONTEXT);
  const split = (row) => Math.min(row + 1, first(row) + PROMPT);
  const byToken = make([ROWS], (row) => row).sort((a, b) => (a % V) - (b % V) || a - b);
  return {
    ...Object.fromEntries(Object.entries({ ...weights, ...values }).map(([name, shape], i) => [name, wave(shape, i)])),
    ...Object.fromEntries(Object.entries(results).map(([name, shape]) => [name, make(shape, () => 0)])),
    parameters: wave([PARAMETERS], 1),
    secondMoment: make([PARAMETERS], () => 1e-4),
    temperature: [1],
    adamw: [1e-3, 0.9, 0.95, 1e-8, 0.01, 0.1, 0.05, 1],
    positions: make([ROWS], (row) => row % CONTEXT),
    kvRows: make([ROWS], (row) => row),
    intervals: make([ROWS], (row) => [first(row), split(row), split(row), row + 1]).flat(),
    islands: make([GROUPS + 1], (group) => group * CONTEXT),
    targets: make([ROWS], (row) => row % V),
    sortedRows: byToken,
    bucketTokens: make([V], (token) => token),
    bucketOffsets: make([V + 1], (token) => byToken.filter((row) => row % V < token).length),
    completionOf: make([ROWS], (row) => Math.floor(row / CONTEXT)),
    advantages: wave([GROUPS], 2),
    coefficients: make([ROWS], () => 1 / ROWS),
    objective: [0.2, 0.28, 0, 0],
    sampling: [1, 0, 1, 0],
    key: [17, 29],
    rolloutNumbers: make([ROWS], (row) => [row, 0]).flat(),
  };
}

/** One call of every case on every engine, from the same filling; all results against the float64 reference. */
async function checkAll() {
  const reference = await referenceBackend.open(plan);
  for (const engine of [reference, ...engines.map((each) => each.engine)]) {
    for (const [name, numbers] of Object.entries(filling)) engine.write(s[name], numbers);
    await engine.replay(engine.record('check', (kernels) => CASES.forEach(([, call]) => call(kernels))));
  }
  for (const name of Object.keys(SHAPES.results)) {
    const expected = Float64Array.from(await reference.read(s[name]));
    const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const tolerance = 1e-5 * Math.sqrt(ROWS) * largest; // of the longest sum, that of a weight gradient
    for (const { threads, engine } of engines) {
      const actual = await engine.read(s[name]);
      const wrong = expected.findIndex((value, i) => !(Math.abs(actual[i] - value) <= tolerance));
      if (wrong >= 0)
        fail(`${name}[${wrong}] on ${threads} threads: ${actual[wrong]}, the reference says ${expected[wrong]}`);
    }
  }
  await reference.close();
}

async function measure() {
  const lanes = chosen.flatMap(([name, call, work]) =>
    engines.map(({ threads, engine }) => {
      const program = engine.record(name, (kernels) => {
        for (let i = 0; i < CALLS; i++) call(kernels);
      });
      return { name, threads, work, times: [], replay: () => engine.replay(program) };
    }),
  );
  for (const { replay } of lanes) await replay(); // warm-up: compiles, packs the weights
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const { times, replay } of lanes) {
      const start = performance.now();
      await replay();
      times.push((performance.now() - start) / CALLS);
    }
  }
  return lanes.map(({ name, threads, work, times }) => {
    const sorted = times.sort((a, b) => a - b);
    const quantile = (share) => sorted[Math.round(share * (sorted.length - 1))];
    const [lowMs, medianMs, highMs] = [0.25, 0.5, 0.75].map(quantile);
    return { name, threads, medianMs, lowMs, highMs, ...(work && { gflops: work / medianMs / 1e6 }) };
  });
}

function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim(),
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    v8: process.versions.v8,
    commit: readGitCommit(process.cwd()),
    backend: 'wasm',
    fma: engines[0].engine.features.fma,
    shapes: { rows: ROWS, D, F, Q, V },
  };
}

function table(machine, results) {
  const { cpu, cores, memoryGiB, node, v8, commit, fma } = machine;
  const cell = ({ medianMs, lowMs, highMs, gflops }) =>
    `${medianMs.toFixed(3).padStart(8)}  ${`${lowMs.toFixed(3)}–${highMs.toFixed(3)}`.padEnd(14)}${(gflops?.toFixed(1) ?? '').padStart(8)}`;
  const lines = chosen.map(([name]) => {
    const lanes = results.filter((result) => result.name === name);
    return `${name.padEnd(30)}${lanes.map(cell).join('   ')}${(lanes[0].medianMs / lanes[1].medianMs).toFixed(2).padStart(9)}`;
  });
  const column = `${'ms'.padStart(8)}  ${'quartiles'.padEnd(14)}${'GFLOP/s'.padStart(8)}`;
  return [
    `${cpu}, ${cores} cores, ${memoryGiB} GiB; Node ${node}, V8 ${v8}; commit ${commit}; wasm, fma ${fma}`,
    `${ROWS} rows, D ${D}, F ${F}, Q ${Q}, V ${V}; ${repeats} repeats of ${CALLS} calls`,
    '',
    `${''.padEnd(30)}${THREADS.map((n) => `${n} thread${n === 1 ? '' : 's'}`.padEnd(column.length)).join('   ')}`,
    `${'kernel'.padEnd(30)}${THREADS.map(() => column).join('   ')}  speed-up`,
    ...lines,
  ].join('\n');
}
