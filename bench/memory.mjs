/**
 * Does a run take the memory that was planned, and no more as time passes?
 *
 *   npm run bench -- memory [--config FILE] [--steps 1000] [--set KEY=VALUE …] [--json FILE]
 *   npm run bench -- memory --open MODEL [--json FILE]
 *
 * Trains as the command does, run directory and checkpoints included, for `--steps` optimizer steps of the config's last
 * stage; the default is a small job whose policy stays random, so that it never runs out of live groups. Compares the
 * plan (planning/memory_plan.ts: engine, threads, JavaScript, checkpoints) with the peak of the resident set less that of
 * this process when the package was loaded and nothing opened. Completions that end before their limit leave a part of
 * the engine's buffers untouched, which no operating system counts: every page of them is therefore touched once at the start.
 * After every tenth of the steps, garbage is collected and what is left is counted: the heap and the buffers outside of
 * it, without the engine's memory, whose size is fixed.
 * With --open, a model is opened to be asked, as `sample --model` does, and answers one prompt.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTasks, openPretrained, openRun, parseConfig, wasmBackend } from '../build/packages/rlvr-train/index.js';
import { fileStore, findModel, fingerprintOf, session } from '../build/packages/rlvr-train/node.js';
import { storageOf, wholeArena } from '../build/src/kernels/memory.js';
import { STORAGE } from '../build/src/kernels/storage.js';
import { Policy } from '../build/src/model/policy.js';
import { generate, wholeVocabulary } from '../build/src/model/sampling/generation.js';
import { plannedMemory } from '../build/src/planning/memory_plan.js';
import { describeMachine, fail, machineLine, readFlags, writeJson } from './command.mjs';
import { slope } from './statistics.mjs';

const SMALL_JOB = `
task: {name: sort_digits, digits: 4}
model: {hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, intermediate_size: 176}
num_generations: 16
generation_batch_size: 512
learning_rate: 1.0e-9
reward_funcs: [positions]
num_generations_eval: 1
eval_steps: 250
max_steps: 1000
`;
const MARKS = 10;
const MOST_DIFFERENCE = 0.1;
/** Numbers of 4 bytes in a page of 4 KiB. */
const PAGE_NUMBERS = 1024;

/** Tokens of the prompt and of the answer, where a model is opened to be asked. */
const ASKED = 128;

const { steps, config, json, open, folder: configFolder } = readJob();
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
collectGarbage();
const baseline = process.memoryUsage.rss();

const machine = describeMachine();
const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-memory-'));
const backend = await wasmBackend({ threads: config.threads });
try {
  if (open === undefined) await measureRun();
  else await measureOpening();
} finally {
  rmSync(folder, { recursive: true });
}

async function measureRun() {
  const path = config.modelNameOrPath;
  const pretrained = path === undefined ? undefined : await openPretrained(findModel(resolve(configFolder, path)));
  const tasks = await createTasks(config, pretrained && { codec: pretrained.codec });
  const run = await openRun(config, tasks, backend, { pretrained });
  try {
    await touchBuffers(run.engine.policy);
    const heap = await train(run);
    finish(run.engine.policy, { tasks: config.tasks, steps }, { heap, growth: growthOf(heap) });
  } finally {
    await run.engine.policy.close();
  }
}

async function measureOpening() {
  const pretrained = await openPretrained(findModel(open));
  const sizes = { rows: ASKED, lossRows: 1, groups: 1, completions: 1, kvRows: 2 * ASKED, context: 2 * ASKED };
  const capacity = { ...sizes, training: false, keptRows: 0 };
  const policy = await Policy.open(backend, pretrained.model.shape, capacity);
  try {
    await pretrained.loadWeights(policy);
    const prompt = pretrained.codec.encode(pretrained.codec.render([{ role: 'user', content: 'Hello' }]));
    const options = { sampling: wholeVocabulary(0), samplingKey: [0, 0], maxCompletionTokens: 4, stopIds: [] };
    await generate(policy, [{ prompt, rolloutNumbers: [0] }], options);
    finish(policy, { open, ...capacity }, { heap: [], growth: 0 });
  } finally {
    await policy.close();
  }
}

function finish(policy, measured, left) {
  const { threads, fma } = policy.engine.features;
  const planned = plannedMemory(backend, [policy.plan], threads);
  const peak = process.resourceUsage().maxRSS * 1024 - baseline;
  const total = [...planned.values()].reduce((sum, bytes) => sum + bytes, 0);
  const settings = { ...measured, backend: 'wasm', threads, fma };
  const result = { planned: Object.fromEntries(planned), total, baseline, peak, ...left };
  process.stdout.write(`${report(settings, result)}\n`);
  if (json !== undefined) writeJson(json, 'memory', { machine, settings, results: result });
  if (Math.abs(total - peak) > MOST_DIFFERENCE * peak) process.exitCode = 1;
}

function readJob() {
  const further = {
    config: { type: 'string' },
    open: { type: 'string' },
    steps: { type: 'string', default: '1000' },
    set: { type: 'string', multiple: true, default: [] },
  };
  const flags = readFlags({ further });
  const count = Number(flags.steps);
  if (!Number.isInteger(count) || count < 1) fail(`--steps: ${flags.steps} — use a whole number of 1 or more.`);
  const text = flags.config === undefined ? SMALL_JOB : readFileSync(flags.config, 'utf8');
  const parsed = parseConfig(text, { file: flags.config ?? 'the small job' }, flags.set).config;
  const folder = flags.config === undefined ? '.' : dirname(flags.config);
  return { json: flags.json, steps: count, config: parsed, open: flags.open, folder };
}

/** Writes one number of every page as it is, of blocks a whole one; weights that are packed alone have been written whole. */
async function touchBuffers({ engine, plan }) {
  for (const arena of plan.memory.arenas.filter(({ packedAlone = false }) => !packedAlone)) {
    const whole = wholeArena(arena);
    const shape = [STORAGE[storageOf(arena)].values];
    for (let at = 0; at < arena.length; at += PAGE_NUMBERS) {
      const number = { ...whole, offset: at, shape };
      engine.write(number, await engine.read(number));
    }
  }
}

/** Bytes that are left after garbage collection, at each mark of the last stage. */
async function train(run) {
  const heap = [];
  const last = config.stages.length - 1;
  const options = { run, store: fileStore(folder), fingerprint: await fingerprintOf(run), resume: false, force: false };
  let done = false;
  for await (const event of session({ ...options, shouldStop: () => done })) {
    if (event.type !== 'step' || run.journal.state.stageIndex !== last) continue;
    if ((event.step * MARKS) % steps < MARKS) {
      collectGarbage();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      heap.push({ step: event.step, bytes: heapUsed + arrayBuffers });
    }
    done = event.step >= steps;
  }
  return heap;
}

/** Bytes a hundred steps, without the first mark, where code is still being compiled. */
function growthOf(heap) {
  return slope(heap.slice(1).map(({ step, bytes }) => [step / 100, bytes]));
}

function report({ threads, fma, ...measured }, { planned, total, baseline: idle, peak, heap, growth }) {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1).padStart(8)} MB`;
  const row = (name, bytes, note = '') => `${name.padEnd(26)}${megabytes(bytes)}${note}`;
  const difference = (100 * (total - peak)) / peak;
  return [
    machineLine(machine),
    `${measured.open ?? `${config.tasks.map(({ task }) => task.name).join(' + ')}, ${steps} optimizer steps of ${config.stages.at(-1).stage}`}; wasm, ${threads} threads, fma ${fma}`,
    '',
    ...Object.entries(planned).map(([purpose, bytes]) => row(`  ${purpose}`, bytes)),
    row('planned', total, `   ${difference >= 0 ? '+' : ''}${difference.toFixed(1)} % of what was measured`),
    row('measured peak', peak, `   beyond ${(idle / 1e6).toFixed(1)} MB of Node with the package loaded`),
    ...(heap.length > 0 ? ['', 'left after garbage collection:'] : []),
    ...heap.map(({ step, bytes }) => row(`  step ${step}`, bytes)),
    ...(heap.length > 2 ? [`growth                    ${(growth / 1e3).toFixed(1).padStart(8)} kB in 100 steps`] : []),
  ].join('\n');
}
