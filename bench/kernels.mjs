/**
 * How near is each wasm kernel to what the machine can do, at the shapes of the countdown model, on one thread and two?
 *
 *   npm run bench -- kernels [--repeats 15] [--quick] [--only TEXT] [--json FILE]
 *
 * A repeat replays a program of CALLS equal calls, so that posting a job to the workers costs little of it. Repeats are
 * interleaved over kernels and threads, so that a machine that slows down slows all of them. Before the clock starts,
 * one call of each, in the order below, is checked against the float64 reference. Times are of one call: the median,
 * and the quartiles around it; GFLOP/s count multiply and add of the products, at the median. Left out: what takes
 * microseconds per step (copy, add, groupAdvantages, gatherRowsBackward).
 *
 * Roof: the time that the kernel's multiply-adds take from registers or in the micro-kernel, or that a plain copy of
 * as many bytes as it must read and write takes, whichever is longer (roofline.mjs). Exponentials are not in it, which
 * keeps attention, sample and swiglu below.
 */
import { ArenaBuilder, slotLength } from '../build/src/kernels/memory.js';
import { referenceBackend } from '../build/src/kernels/reference/engine.js';
import { wasmBackend } from '../build/src/kernels/wasm/backend.js';
import { describeMachine, fail, machineLine, readFlags, table, writeJson } from './command.mjs';
import { openRoofline } from './roofline.mjs';
import { summarize } from './statistics.mjs';

const THREADS = [1, 2];
const CALLS = 20;
const { repeats, only, json } = readFlags({ further: { only: { type: 'string' } } });
const machine = describeMachine();

// A training batch of configs/countdown-steps.yaml: ROWS packed rows in GROUPS prefix groups, and the model's widths.
const [ROWS, GROUPS, PROMPT] = [1088, 64, 6];
const CONTEXT = ROWS / GROUPS;
const [D, F, V, HEADS, HEAD] = [128, 336, 110, 4, 32];
const Q = 3 * HEADS * HEAD;
const PARAMETERS = 600_000;
const LAYER = 4 * D * D + 3 * D * F;

// Weights have an arena of their own, which no case writes: the engine packs them once, outside the clock.
// biome-ignore format: a table
const SHAPES = {
  weights: { wQkv: [Q, D], wOut: [D, D], wGateUp: [2 * F, D], wDown: [D, F], head: [V, D], wNorm: [D] },
  values: {
    x: [ROWS, D], residual: [ROWS, D], dOut: [ROWS, D], qkv: [ROWS, Q], gateUp: [ROWS, 2 * F], inner: [ROWS, F],
    cos: [CONTEXT, HEAD / 2], sin: [CONTEXT, HEAD / 2], dLogprobs: [ROWS], dEntropies: [ROWS],
    dLayer: [LAYER],
  },
  results: {
    y: [ROWS, D], dX: [ROWS, D], yQkv: [ROWS, Q], yGateUp: [ROWS, 2 * F], yInner: [ROWS, F], rstd: [ROWS],
    dWQkv: [Q, D], dWOut: [D, D], dWGateUp: [2 * F, D], dWDown: [D, F], dHead: [V, D], dWNorm: [D],
    q: [ROWS, D], kv: [ROWS, 2 * D], dQ: [ROWS, D], dKv: [ROWS, 2 * D], attended: [ROWS, D], scores: [ROWS, HEADS],
    logprobs: [ROWS], logSumExp: [ROWS], entropies: [ROWS], embedded: [ROWS, D], dTable: [V, D],
    losses: [ROWS], dPolicy: [ROWS], dEntropy: [ROWS],
    parameters: [PARAMETERS], gradients: [PARAMETERS], firstMoment: [PARAMETERS], secondMoment: [PARAMETERS],
    partials: [Math.ceil(PARAMETERS / 1024)], norm: [1], layer: [LAYER], layerMoment: [LAYER],
  },
  settings: { temperature: [1], adamw: [8], muon: [4], sampling: [4], objective: [4], advantages: [ROWS], coefficients: [ROWS] },
  // Not checked: where float32 rounds across an edge of the CDF, another token is as right.
  sampled: { sampledLogprobs: [ROWS], sampledEntropies: [ROWS], keptLogMass: [ROWS] },
  indices: {
    positions: [ROWS], kvRows: [ROWS], intervals: [ROWS, 2, 2], prefixGroups: [GROUPS + 1], targets: [ROWS],
    sortedRows: [ROWS], bucketTokens: [V], bucketOffsets: [V + 1],
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
/** Pairs of a row and a row it attends to; a product over them has HEADS · HEAD multiply-adds each. */
const pairs = (GROUPS * CONTEXT * (CONTEXT + 1)) / 2;

/** What Muon steps of a layer, one after the other in a flat slot: q, k, v, out, gate, up, down. */
const MATRICES = placed([
  [D, D],
  [D, D],
  [D, D],
  [D, D],
  [F, D],
  [F, D],
  [D, F],
]);
/** Five iterations: XXᵀ, its square, and the product with X. */
const schulz = MATRICES.reduce(
  (sum, { rows: m, columns: n }) => sum + 5 * (2 * flop(m, n, Math.min(m, n)) + 2 * Math.min(m, n) ** 3),
  0,
);

/**
 * Name, call, the slots that it must read and write (twice where it adds to one), and FLOP where there are products.
 * Backward cases read what their forward wrote.
 */
// biome-ignore format: a table
const CASES = [
  ['embedding', (k) => k.embedding({ tokens: s.targets, table: s.head, out: s.embedded, rows }), 'targets embedded embedded'],
  ['embeddingBackward', (k) => k.embeddingBackward({ dOut: s.dOut, sortedRows: s.sortedRows, bucketTokens: s.bucketTokens, bucketOffsets: s.bucketOffsets, buckets: V, dTable: s.dTable }), 'dOut dTable dTable'],
  ['linear qkv', (k) => k.linear({ x: s.x, weight: s.wQkv, out: s.yQkv, rows }), 'x wQkv yQkv', flop(D, Q)],
  ['linear gate+up', (k) => k.linear({ x: s.x, weight: s.wGateUp, out: s.yGateUp, rows }), 'x wGateUp yGateUp', flop(D, 2 * F)],
  ['linear down', (k) => k.linear({ x: s.inner, weight: s.wDown, residual: s.residual, out: s.y, rows }), 'inner wDown residual y', flop(D, F)],
  ['linear out', (k) => k.linear({ x: s.x, weight: s.wOut, out: s.y, rows }), 'x wOut y', flop(D, D)],
  ['linear gate+up, 1 row', (k) => k.linear({ x: s.x, weight: s.wGateUp, out: s.yGateUp, rows: { begin: 0, end: 1 } }), 'wGateUp', flop(D, 2 * F, 1)],
  ['linearInputGradient qkv', (k) => k.linearInputGradient({ dOut: s.qkv, weight: s.wQkv, dX: s.y, rows }), 'qkv wQkv y', flop(D, Q)],
  ['linearInputGradient gate+up', (k) => k.linearInputGradient({ dOut: s.gateUp, weight: s.wGateUp, dX: s.y, rows }), 'gateUp wGateUp y', flop(D, 2 * F)],
  ['linearInputGradient down', (k) => k.linearInputGradient({ dOut: s.dOut, weight: s.wDown, dX: s.yInner, rows }), 'dOut wDown yInner', flop(D, F)],
  ['linearWeightGradient qkv', (k) => k.linearWeightGradient({ dOut: s.qkv, x: s.x, dWeight: s.dWQkv, rows }), 'qkv x dWQkv dWQkv', flop(D, Q)],
  ['linearWeightGradient gate+up', (k) => k.linearWeightGradient({ dOut: s.gateUp, x: s.x, dWeight: s.dWGateUp, rows }), 'gateUp x dWGateUp dWGateUp', flop(D, 2 * F)],
  ['linearWeightGradient down', (k) => k.linearWeightGradient({ dOut: s.dOut, x: s.inner, dWeight: s.dWDown, rows }), 'dOut inner dWDown dWDown', flop(D, F)],
  ['linearWeightGradient out', (k) => k.linearWeightGradient({ dOut: s.dOut, x: s.x, dWeight: s.dWOut, rows }), 'dOut x dWOut dWOut', flop(D, D)],
  ['linearLogprob', (k) => k.linearLogprob({ ...output, logprobs: s.logprobs, logSumExp: s.logSumExp, entropies: s.entropies }), 'x head logprobs', flop(D, V)],
  ['linearLogprobBackward', (k) => k.linearLogprobBackward({ ...output, logSumExp: s.logSumExp, entropies: s.entropies, dLogprobs: s.dLogprobs, dEntropies: s.dEntropies, dHidden: s.y, dWeight: s.dHead }), 'x head y dHead dHead', 3 * flop(D, V)],
  ['policyObjective', (k) => k.policyObjective({ logprobs: s.logprobs, oldLogprobs: s.logprobs, refLogprobs: s.logprobs, entropies: s.entropies, advantages: s.advantages, coefficients: s.coefficients, entropyCoefficients: s.coefficients, settings: s.objective, losses: s.losses, dLogprobs: s.dPolicy, dEntropies: s.dEntropy, rows }), 'logprobs logprobs logprobs entropies advantages coefficients coefficients losses dPolicy dEntropy'],
  ['sample', (k) => k.sample({ hidden: s.x, weight: s.head, sampling: s.sampling, key: s.key, rolloutNumbers: s.rolloutNumbers, counters: s.positions, tokens: s.sampledTokens, logprobs: s.sampledLogprobs, entropies: s.sampledEntropies, keptLogMass: s.keptLogMass, rows }), 'x head sampledTokens', flop(D, V)],
  ['gatherRows, all', (k) => k.gatherRows({ x: s.x, index: s.kvRows, out: s.y, rows }), 'x kvRows y'],
  ['rmsNorm', (k) => k.rmsNorm({ x: s.x, weight: s.wNorm, out: s.y, rstd: s.rstd, eps: 1e-5, rows }), 'x y rstd'],
  ['rmsNormBackward', (k) => k.rmsNormBackward({ x: s.x, weight: s.wNorm, rstd: s.rstd, dOut: s.dOut, dX: s.dX, dWeight: s.dWNorm, rows }), 'x dOut dX dX rstd'],
  ['rotary', (k) => k.rotary({ ...rotary, q: s.q, kv: s.kv }), 'qkv q kv'],
  ['attention', (k) => k.attention({ ...attention, rows }), 'q kv intervals attended scores', 2 * flop(HEADS, HEAD, pairs)],
  ['attentionBackward', (k) => k.attentionBackward({ ...attention, dOut: s.dOut, prefixGroups: s.prefixGroups, prefixGroupCount: GROUPS, dQ: s.dQ, dKv: s.dKv }), 'q kv intervals attended scores dOut dQ dKv', 5 * flop(HEADS, HEAD, pairs)],
  ['rotaryBackward', (k) => k.rotaryBackward({ ...rotary, dQ: s.dQ, dKv: s.dKv, dQkv: s.yQkv }), 'dQ dKv yQkv'],
  ['swiglu', (k) => k.swiglu({ gateUp: s.gateUp, out: s.yInner, rows }), 'gateUp yInner'],
  ['swigluBackward', (k) => k.swigluBackward({ gateUp: s.gateUp, dOut: s.inner, dGateUp: s.yGateUp, rows }), 'gateUp inner yGateUp'],
  ['fill 0.6 M', (k) => k.fill({ out: s.gradients, value: 0.001 }), 'gradients'],
  ['gradientNorm 0.6 M', (k) => k.gradientNorm({ gradients: s.gradients, partials: s.partials, norm: s.norm }), 'gradients'],
  ['adamw 0.6 M', (k) => k.adamw({ parameters: s.parameters, gradients: s.gradients, firstMoment: s.firstMoment, secondMoment: s.secondMoment, norm: s.norm, settings: s.adamw, decayLength: PARAMETERS }), 'parameters parameters gradients firstMoment firstMoment secondMoment secondMoment'],
  ['muon, a layer', (k) => k.muon({ parameters: s.layer, gradients: s.dLayer, firstMoment: s.layerMoment, norm: s.norm, settings: s.muon, matrices: MATRICES }), 'layer layer dLayer layerMoment layerMoment', schulz],
];

const chosen = CASES.filter(([name]) => only === undefined || name.includes(only));
if (chosen.length === 0)
  fail(`--only: ${only} — no kernel's name has it; use one of ${CASES.map(([name]) => name).join(', ')}.`);
const filling = fillings();
const engines = await Promise.all(
  THREADS.map(async (threads) => ({ threads, engine: await (await wasmBackend({ threads })).open(plan) })),
);
const { fma, simd } = engines[0].engine.features;
try {
  await checkAll();
  const results = await measure();
  const peaks = await addRoofs(results);
  process.stdout.write(`${describe(peaks, results)}\n`);
  if (json !== undefined) {
    const settings = { backend: 'wasm', fma, simd, repeats, calls: CALLS, rows: ROWS, D, F, Q, V };
    writeJson(json, 'kernels', { machine, settings, peaks, results });
  }
} finally {
  for (const { engine } of engines) await engine.close();
}

/** Matrices of these sides, one after the other. */
function placed(sides) {
  let begin = 0;
  return sides.map(([rows, columns]) => {
    const place = { begin, rows, columns };
    begin += rows * columns;
    return place;
  });
}

function planOperands() {
  const builders = Object.keys(SHAPES).map(
    (name) => new ArenaBuilder(name, name === 'indices' ? 'int' : 'real', 'bench'),
  );
  const slots = {};
  Object.values(SHAPES).forEach((shapes, i) => {
    for (const [name, shape] of Object.entries(shapes)) slots[name] = builders[i].slot(shape);
  });
  const weights = [slots.wQkv, slots.wOut, slots.wGateUp, slots.wDown, slots.head];
  const matrices = weights.map((slot) => ({ slot, uses: ['forward', 'backward'] }));
  const limits = {
    rows: ROWS,
    context: CONTEXT,
    vocabSize: V,
    width: 2 * F,
    headDim: HEAD,
    muon: { short: D, long: F },
  };
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
    muon: [1e-3, 0.95, 0.01, 1],
    positions: make([ROWS], (row) => row % CONTEXT),
    kvRows: make([ROWS], (row) => row),
    intervals: make([ROWS], (row) => [first(row), split(row), split(row), row + 1]).flat(),
    prefixGroups: make([GROUPS + 1], (group) => group * CONTEXT),
    targets: make([ROWS], (row) => row % V),
    sortedRows: byToken,
    bucketTokens: make([V], (token) => token),
    bucketOffsets: make([V + 1], (token) => byToken.filter((row) => row % V < token).length),
    advantages: wave([ROWS], 2),
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
    const tolerance = 1e-5 * Math.sqrt(ROWS) * largest; // for the longest sum, that of a weight gradient
    for (const { threads, engine } of engines) {
      const actual = await engine.read(s[name]);
      const wrong = expected.findIndex((value, i) => !(Math.abs(actual[i] - value) <= tolerance));
      if (wrong >= 0)
        fail(`${name}[${wrong}] on ${threads} threads: ${actual[wrong]}, the reference says ${expected[wrong]}.`);
    }
  }
  await reference.close();
}

async function measure() {
  const lanes = chosen.flatMap(([name, call, moved, work]) =>
    engines.map(({ threads, engine }) => {
      const program = engine.record(name, (kernels) => {
        for (let i = 0; i < CALLS; i++) call(kernels);
      });
      return { name, threads, bytes: bytesOf(moved), work, times: [], replay: () => engine.replay(program) };
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
  return lanes.map(({ name, threads, bytes, work, times }) => {
    const { median: medianMs, low: lowMs, high: highMs } = summarize(times);
    return {
      name,
      threads,
      medianMs,
      lowMs,
      highMs,
      bytes,
      ...(work && { flop: work, gflops: work / medianMs / 1e6 }),
    };
  });
}

/** Adds to each result the time that its roof allows, and the share of it that is reached. */
async function addRoofs(results) {
  const peaks = [];
  for (const threads of THREADS) {
    const own = results.filter((result) => result.threads === threads);
    const mostBytes = Math.max(...own.map(({ bytes }) => bytes));
    const roofline = await openRoofline({ threads, features: { fma, simd }, mostBytes });
    const peak = await roofline.peak();
    const gflops = Math.max(peak.registers, peak.microKernel);
    const moveMs = new Map();
    for (const result of own) {
      const { bytes, flop = 0, medianMs } = result;
      if (!moveMs.has(bytes)) moveMs.set(bytes, 1000 * (await roofline.secondsToMove(bytes)));
      const multiplyMs = flop / gflops / 1e6;
      result.bound = multiplyMs > moveMs.get(bytes) ? 'arithmetic' : 'memory';
      result.roofMs = Math.max(multiplyMs, moveMs.get(bytes));
      result.shareOfRoof = result.roofMs / medianMs;
    }
    peaks.push({ threads, ...peak });
    await roofline.close();
  }
  return peaks;
}

function bytesOf(slots) {
  return slots.split(' ').reduce((sum, slot) => sum + 4 * slotLength(s[slot]), 0);
}

function describe(peaks, results) {
  const lines = chosen.map(([name]) => {
    const lanes = results.filter((result) => result.name === name);
    const cells = lanes.flatMap(({ medianMs, lowMs, highMs, gflops, shareOfRoof }) => [
      medianMs.toFixed(3),
      `${lowMs.toFixed(3)}–${highMs.toFixed(3)}`,
      gflops?.toFixed(1),
      `${(100 * shareOfRoof).toFixed(0)} %`,
    ]);
    return [name, lanes[0].bound, ...cells, (lanes[0].medianMs / lanes[1].medianMs).toFixed(2)];
  });
  const columns = THREADS.flatMap((threads) => [`ms, ${threads} thr.`, 'quartiles', 'GFLOP/s', 'of roof']);
  return [
    machineLine(machine),
    `${ROWS} rows, D ${D}, F ${F}, Q ${Q}, V ${V}; wasm, fma ${fma}, ${simd}; ${repeats} repeats of ${CALLS} calls`,
    ...peaks.map(
      ({ threads, registers, microKernel }) =>
        `peak on ${threads}: ${registers.toFixed(1)} GFLOP/s from 128-bit registers, ${microKernel.toFixed(1)} of the micro-kernel`,
    ),
    '',
    table(['kernel', 'bound by', ...columns, 'speed-up'], lines),
  ].join('\n');
}
