/** A copy of the core without the workspaces: it builds, and its command trains to the bits of the whole package's. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const COPIED = ['src', 'tools', 'configs', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
const SHORT = [
  '--set',
  'stages=[{stage: sft, max_steps: 3, per_device_train_batch_size: 64, learning_rate: 2.0e-3}]',
  '--quiet',
];

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'rlvr-train-core-'));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  execFileSync(process.execPath, ['tools/prepare.mjs'], { cwd: copy });
}, 240_000);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The weights that configs/countdown.yaml has after a few supervised steps. */
function weightsOf(main: string): unknown {
  execFileSync(process.execPath, [main, '--config', 'configs/countdown.yaml', '--output', 'run', ...SHORT], {
    cwd: copy,
  });
  const { weightsSha256 } = JSON.parse(readFileSync(join(copy, 'run/summary.json'), 'utf8'));
  rmSync(join(copy, 'run'), { recursive: true });
  return weightsSha256;
}

it('builds, and trains the model of the main job to the bits of the package', () => {
  const alone = weightsOf('build/core/cli/main.js');
  expect(alone).toMatch(/^[0-9a-f]{64}$/);
  expect(alone).toBe(weightsOf(join(ROOT, 'dist/cli/main.js')));
});
