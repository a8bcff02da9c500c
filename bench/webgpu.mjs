/**
 * How fast is training on this WebGPU adapter: against the adapter's own limits, against wasm on the same machine, and
 * against plain PyTorch on the same GPU, where there is a Python with CUDA? And what do subgroups and float16 storage
 * change?
 *
 *   npm run bench -- webgpu [--adapter NAME] [--quick] [--repeats 5] [--no-large] [--json FILE]
 *
 * The adapter is the one that Dawn prefers; a software adapter measures the machine's processor, and says so. --quick
 * takes small sizes, as on such an adapter. The 135 M model runs on real GPUs only.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { wasmBackend, webgpuBackend } from '../dist/index.js';
import { adapterLine, describeAdapter } from '../dist/kernels/webgpu/device.js';
import { listAdapters, nodeGpu } from '../dist/kernels/webgpu/webgpu.node.js';
import { describeMachine, fail, machineLine, readFlags, spread, table, writeJson } from './command.mjs';
import { startTorch } from './peers/torch_side.mjs';
import { completionsOf, LARGE_SIZE, openSide, parametersOf, RACE_SIZE, SMALL_SIZE } from './policy_side.mjs';
import { summarize } from './statistics.mjs';
import { measureHost } from './webgpu_host.mjs';
import { measureProducts, QUICK_SHAPES, SHAPES } from './webgpu_products.mjs';
import { measureRoofs } from './webgpu_roofs.mjs';

const further = { adapter: { type: 'string' }, 'no-large': { type: 'boolean', default: false } };
const { quick, repeats, json, adapter: wanted, ...flags } = readFlags({ repeats: 5, quickRepeats: 3, further });
const machine = describeMachine();
const gpu = await nodeGpu(wanted).catch(({ message }) => fail(message));
const found = await gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(({ message }) => fail(message));
const adapter = describeAdapter(found);
const isSmall = quick || adapter.isSoftware;
const say = (...lines) => process.stdout.write(`${lines.join('\n')}\n`);

say(
  machineLine(machine),
  `adapter: ${adapterLine(adapter)}; webgpu (Dawn) ${dawnVersion()}${isSmall ? '; small sizes' : ''}`,
  ...(adapter.isSoftware ? ['This adapter runs on the processor: the figures say nothing about any GPU.'] : []),
);
const report = { machine, adapter, dawn: dawnVersion(), adapters: await listAdapters() };
report.host = await hostSection();
report.roofs = await roofSection();
report.products = await productSection(report.roofs);
report.races = [await raceSection(isSmall ? SMALL_SIZE : RACE_SIZE, { besideWasm: true })];
if (!isSmall && !flags['no-large']) report.races.push(await raceSection(LARGE_SIZE, { besideWasm: false }));
report.features = await featureSection();
if (json !== undefined) writeJson(json, 'webgpu', report);
process.exit(); // Dawn and the compute threads of wasm may still be waiting

function dawnVersion() {
  return JSON.parse(readFileSync(createRequire(import.meta.url).resolve('webgpu/package.json'), 'utf8')).version;
}

/** Needs no GPU: Dawn's null backend. */
async function hostSection() {
  const { create } = await import('webgpu');
  const host = await measureHost(create(['backend=null']), SMALL_SIZE, isSmall ? 10 : 30);
  const { layers, microseconds, perToken, perUpdate } = host;
  say(
    '',
    `host, on Dawn's null backend, whatever the GPU; ${layers} layers`,
    table(
      ['', 'dispatches', 'of them a layer', 'submissions', 'writes', 'reads', 'buffers made'],
      [
        ['a decoded token', ...callCells(perToken)],
        ['an update by kept rollouts', ...callCells(perUpdate)],
      ],
    ),
    `replay: ${spread(microseconds, 2)} µs a dispatch on the host`,
  );
  return host;
}

function callCells({ dispatches, dispatchesPerLayer, submissions, writes, mappings, buffers }) {
  return [
    dispatches.toFixed(1),
    dispatchesPerLayer.toFixed(1),
    ...[submissions, writes, mappings].map((n) => n.toFixed(1)),
    buffers,
  ];
}

async function roofSection() {
  const copyBytes = isSmall ? 2 ** 25 : 2 ** 27;
  const roofs = await measureRoofs(found, { isSoftware: adapter.isSoftware, copyBytes });
  say('', `roofs: ${roofs.gflops.toFixed(1)} GFLOP/s f32 from registers, ${roofs.gigabytes.toFixed(1)} GB/s copied`);
  return roofs;
}

async function productSection({ gflops: roof }) {
  const backend = await webgpuBackend(gpu);
  const products = [];
  for (const shape of isSmall ? QUICK_SHAPES : SHAPES) products.push(await measureProducts(backend, shape, repeats));
  const cell = (value) => `${value.toFixed(1)} (${((100 * value) / roof).toFixed(0)} %)`;
  const rows = products.map(({ name, rows: n, inputs, outputs, gflops }) => [
    `${name}: ${n} × ${inputs} → ${outputs}`,
    ...['NT', 'NN', 'TN'].map((form) => cell(gflops[form])),
  ]);
  say('', table(['products, GFLOP/s (share of the roof)', 'x·Wᵀ', 'dOut·W', 'dOutᵀ·x'], rows));
  return products;
}

/** Rollouts and steps of one size, the sides in turn. */
async function raceSection(size, { besideWasm }) {
  const side = await openSide(await webgpuBackend(gpu), size);
  const wasm = besideWasm ? await openSide(await wasmBackend(), size) : undefined;
  const torch = await startTorch(size);
  const { prompts, promptTokens, groupSize, completionTokens } = size;
  const tokens = completionsOf(size) * completionTokens;
  const parameters = parametersOf(side);
  say(
    '',
    `${size.label}: ${(parameters / 1e6).toFixed(2)} M parameters, float32; ${prompts} prompts of ${promptTokens} tokens × ${groupSize} completions of ${completionTokens}`,
  );
  const results = {};
  try {
    for (const what of ['rollout', 'step']) {
      results[what] = await inTurns({
        webgpu: () => side[what](),
        ...(wasm && { wasm: () => wasm[what]() }),
        ...(torch && { torch: () => torch.ask({ what }) }),
      });
    }
  } finally {
    torch?.close();
    await side.close();
    await wasm?.close();
  }
  const names = { webgpu: 'webgpu', wasm: `wasm, ${machine.cores} cores`, torch: torch?.versions.name };
  const rows = Object.entries(results).flatMap(([what, sides]) =>
    Object.entries(sides).map(([name, seconds]) => [
      `${what}: ${names[name]}`,
      spread(seconds),
      Math.round(tokens / seconds.median),
      name === 'webgpu' ? '' : `${(seconds.median / sides.webgpu.median).toFixed(2)}×`,
    ]),
  );
  const perToken = results.rollout.webgpu.median / completionTokens;
  const weightsOnce = (4 * parameters) / (report.roofs.gigabytes * 1e9);
  const share = `${((100 * weightsOnce) / perToken).toFixed(1)} %`;
  say(
    table(['', 'seconds (quartiles)', 'completion tokens/s', 'of webgpu’s time'], rows),
    `a decoded token for ${completionsOf(size)} completions: ${(1000 * perToken).toFixed(2)} ms; reading the weights once takes ${(1000 * weightsOnce).toFixed(3)} ms (${share})`,
  );
  return { size, parameters, torch: torch?.versions, results, decode: { secondsPerToken: perToken, weightsOnce } };
}

/** The race with and without what the adapter offers beyond the defaults; undefined where it offers nothing. */
async function featureSection() {
  const size = isSmall ? SMALL_SIZE : RACE_SIZE;
  const offered = {
    'without subgroups': found.features.has('subgroups') && { subgroups: false },
    'float16 storage': found.features.has('shader-f16') && { storageDtype: 'float16' },
  };
  const options = Object.entries(offered).filter(([, settings]) => settings);
  if (options.length === 0) return undefined;
  const sides = {};
  for (const [name, settings] of [['by default', {}], ...options]) {
    sides[name] = await openSide(await webgpuBackend(gpu, settings), size);
  }
  const results = {};
  for (const what of ['rollout', 'step']) {
    results[what] = await inTurns(Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, side[what]])));
  }
  for (const side of Object.values(sides)) await side.close();
  const rows = Object.entries(results).flatMap(([what, all]) =>
    Object.entries(all).map(([name, seconds]) => [
      `${what}: ${name}`,
      spread(seconds),
      `${(seconds.median / all['by default'].median).toFixed(2)}×`,
    ]),
  );
  say('', table([`features, ${size.label}`, 'seconds (quartiles)', 'of the default’s time'], rows));
  return { size, results };
}

/** Seconds of each side, after two turns that do not count. */
async function inTurns(sides) {
  const seconds = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let turn = -2; turn < repeats; turn++) {
    for (const [name, work] of Object.entries(sides)) {
      const result = await work();
      if (result.gradNorm !== undefined && !(result.gradNorm > 0))
        fail(`${name}: a step whose gradient has norm ${result.gradNorm}.`);
      if (turn >= 0) seconds[name].push(result.seconds);
    }
  }
  return Object.fromEntries(Object.entries(seconds).map(([name, values]) => [name, summarize(values)]));
}
