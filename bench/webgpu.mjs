/**
 * How fast is training on this WebGPU adapter: against the adapter's own limits, against wasm on the same machine, and
 * against plain PyTorch and TRL on the same GPU, where there is a Python with CUDA and these packages? And what do
 * subgroups and float16 storage change?
 *
 *   npm run bench -- webgpu [--adapter NAME] [--quick] [--repeats 5] [--no-large] [--peer-device cuda] [--json FILE]
 *
 * The adapter is the one that Dawn prefers; a software adapter measures the machine's processor, and says so. --quick
 * takes small sizes, as on such an adapter. The 135 M model runs on real GPUs only. --peer-device cpu lets PyTorch and
 * TRL run on the processor, to try the command where there is no GPU. In all it takes less than 10 minutes: a side of a
 * race that is slower than its share of them takes fewer turns.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { webgpuBackend } from '../build/packages/rlvr-train/index.js';
import { adapterLine, describeAdapter } from '../build/packages/webgpu/adapter.js';
import { listAdapters } from '../build/packages/webgpu/webgpu.node.js';
import { describeMachine, fail, machineLine, readFlags, spread, table, writeJson } from './command.mjs';
import { gpuAdapter } from './gpu_adapter.mjs';
import { findPeers } from './peers/gpu_sides.mjs';
import { completionsOf, LARGE_SIZE, RACE_SIZE, SMALL_SIZE } from './policy_side.mjs';
import { measureFeatures } from './webgpu_features.mjs';
import { measureHost } from './webgpu_host.mjs';
import { measureProducts, QUICK_SHAPES, SHAPES } from './webgpu_products.mjs';
import { measureRace } from './webgpu_race.mjs';
import { measureRoofs } from './webgpu_roofs.mjs';

/** Where the races have to end, in seconds from the start. */
const RACE_END = 240;
const LARGE_END = 540;
/** Seconds of all turns of one option. */
const FEATURE_SECONDS = 30;

const further = {
  adapter: { type: 'string' },
  'no-large': { type: 'boolean', default: false },
  'peer-device': { type: 'string', default: 'cuda' },
};
const { quick, repeats, json, adapter: wanted, ...flags } = readFlags({ repeats: 5, quickRepeats: 3, further });
const peerDevice = flags['peer-device'];
if (!['cuda', 'cpu'].includes(peerDevice)) fail(`--peer-device: ${peerDevice} — use cuda or cpu.`);
const machine = describeMachine();
const { gpu, found } = await gpuAdapter(wanted);
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
report.features = await featureSection();
report.peers = await findPeers(peerDevice);
if (report.peers.note !== undefined) say('', report.peers.note);
report.races = [await raceSection(isSmall ? SMALL_SIZE : RACE_SIZE, { besideWasm: true, endSeconds: RACE_END })];
if (!isSmall && !flags['no-large'])
  report.races.push(await raceSection(LARGE_SIZE, { besideWasm: false, endSeconds: LARGE_END }));
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
    `replay: ${spread(microseconds, 2)} µs per dispatch on the host`,
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

async function featureSection() {
  const size = isSmall ? SMALL_SIZE : RACE_SIZE;
  const measured = await measureFeatures(gpu, found.features, size, { repeats, limitSeconds: FEATURE_SECONDS });
  if (measured === undefined) return undefined;
  const rows = Object.entries(measured).flatMap(([what, sides]) =>
    Object.entries(sides).map(([name, { ratio, ...seconds }]) => [
      `${what}: ${name}`,
      spread(seconds),
      ratio && `${ratio.ofMedians.toFixed(2)}×`,
      ratio?.paired && spread(ratio.paired, 2),
    ]),
  );
  say('', table([`features, ${size.label}`, 'seconds (quartiles)', 'of the default’s time', 'turn by turn'], rows));
  return { size, ...measured };
}

/** Rollouts and steps of one size, the sides in turn. */
async function raceSection(size, { besideWasm, endSeconds }) {
  const race = await measureRace(gpu, size, { besideWasm, peers: report.peers, repeats, endSeconds });
  const { parameters, peers, stopped, results } = race;
  const { prompts, promptTokens, groupSize, completionTokens } = size;
  const tokens = completionsOf(size) * completionTokens;
  const on = peerDevice === 'cpu' ? ' (processor)' : '';
  const names = {
    webgpu: 'webgpu',
    wasm: `wasm, ${machine.cores} cores`,
    torch: `plain PyTorch${on}`,
    trl: `TRL${on}`,
  };
  const rows = Object.entries(results).flatMap(([what, sides]) =>
    Object.entries(sides).map(([name, { ratio, ...seconds }]) => [
      `${what}: ${names[name]}`,
      spread(seconds),
      Math.round(tokens / seconds.median),
      ratio && `${ratio.ofMedians.toFixed(2)}×`,
      ratio?.paired && spread(ratio.paired, 2),
    ]),
  );
  const perToken = results.rollout.webgpu.median / completionTokens;
  const weightsOnce = (4 * parameters) / (report.roofs.gigabytes * 1e9);
  const share = `${((100 * weightsOnce) / perToken).toFixed(1)} %`;
  say(
    '',
    `${size.label}: ${(parameters / 1e6).toFixed(2)} M parameters, float32; ${prompts} prompts of ${promptTokens} tokens × ${groupSize} completions of ${completionTokens}`,
    ...Object.entries(peers).map(([name, hello]) => `${names[name]}: ${peerLine(hello)}`),
    ...(peerDevice === 'cpu' ? ['--peer-device cpu: PyTorch and TRL say nothing about any GPU here.'] : []),
    table(['', 'seconds (quartiles)', 'completion tokens/s', 'of webgpu’s time', 'turn by turn'], rows),
    ...Object.entries(stopped).map(([name, why]) => `${names[name]}: ${shortened(why)}`),
    `a decoded token for ${completionsOf(size)} completions: ${(1000 * perToken).toFixed(2)} ms; reading the weights once takes ${(1000 * weightsOnce).toFixed(3)} ms (${share})`,
  );
  return { size, ...race, decode: { secondsPerToken: perToken, weightsOnce } };
}

/** The very last words of a peer that died; the JSON file has the rest. */
function shortened(why) {
  const [first, ...others] = why.split('\n');
  return [first, ...others.slice(-1)].join(' ');
}

/** `NVIDIA H200, CUDA 13.0; python 3.12.3, torch 2.11.0; micro-batch 64` */
function peerLine({ device, cuda, versions, microBatch }) {
  const all = Object.entries(versions).map((pair) => pair.join(' '));
  return [
    cuda === null ? device : `${device}, CUDA ${cuda}`,
    all.join(', '),
    ...(microBatch === undefined ? [] : [`micro-batch ${microBatch}`]),
  ].join('; ');
}
