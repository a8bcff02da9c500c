/**
 * Do models and jobs of several shapes take the memory that was planned for them?
 *
 *   npm run bench -- memory-shapes [--only NAME] [--json FILE]
 *
 * Runs `memory` once a shape, each in a process of its own, since a process has one peak. SmolLM2-135M is the model that
 * rlvr-train fetch smollm2 fetches. A file that is there already keeps the shapes that are not measured again.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeMachine, fail, readFlags, writeJson } from './command.mjs';

const SMALL_ADAPTER = [
  'lora_r=4',
  'lora_target_modules=[q_proj, v_proj]',
  'num_generations=4',
  'generation_batch_size=16',
  'per_device_train_batch_size=16',
  'eval_samples=8',
];
const MILLIONS_FROM_RANDOM =
  'model={hidden_size: 256, num_hidden_layers: 6, num_attention_heads: 4, intermediate_size: 704}';

/** Flags of `memory` by the shape's name. */
const SHAPES = {
  'SmolLM2-135M, opened to be asked': ['--open', 'models/SmolLM2-135M-Instruct.Q4_1.gguf'],
  'configs/smollm2.yaml': ['--config', 'configs/smollm2.yaml', '--steps', '2', ...set(['eval_samples=8'])],
  'SmolLM2-135M, a small adapter': ['--config', 'configs/smollm2.yaml', '--steps', '2', ...set(SMALL_ADAPTER)],
  'all weights, 5 M parameters': ['--steps', '10', ...set([MILLIONS_FROM_RANDOM, 'generation_batch_size=128'])],
};

function set(assignments) {
  return assignments.flatMap((assignment) => ['--set', assignment]);
}

const { only, json } = readFlags({ further: { only: { type: 'string' } } });
if (only !== undefined && !Object.hasOwn(SHAPES, only))
  fail(`--only: ${only} — use one of: ${Object.keys(SHAPES).join('; ')}.`);
const kept = json !== undefined && existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')).results : {};
const results = Object.fromEntries(Object.entries(kept).filter(([name]) => Object.hasOwn(SHAPES, name)));
const machine = describeMachine();
for (const [name, flags] of Object.entries(SHAPES)) {
  if (only !== undefined && name !== only) continue;
  results[name] = measure(flags);
  if (json !== undefined) writeJson(json, 'memory-shapes', { machine, settings: { shapes: SHAPES }, results });
}

/** Bytes; `peak` is beyond Node with the package loaded, `residentPeak` with it. */
function measure(flags) {
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-memory-shapes-'));
  try {
    const file = join(folder, 'memory.json');
    const run = fileURLToPath(new URL('run.mjs', import.meta.url));
    const { status } = spawnSync(process.execPath, [run, 'memory', ...flags, '--json', file], { stdio: 'inherit' });
    if (!existsSync(file)) fail(`memory ended with ${status} before its figures were written.`);
    const { planned, total, peak, baseline } = JSON.parse(readFileSync(file, 'utf8')).results;
    return { planned, total, peak, peakOverPlan: Number((peak / total).toFixed(3)), residentPeak: peak + baseline };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
