/** The examples run as they are written, against what was built. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from './command_line.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('examples/tfjs.mjs: a policy of two dense layers learns to sort, and leaves no tensors behind', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/tfjs.mjs', '150'], { cwd: ROOT });
  const lines = [...stdout.matchAll(/^step (\d+): (\d+) % of the samples sorted, (\d+) tensors$/gm)];
  expect(lines.map(([, step]) => step)).toEqual(['50', '100', '150']);
  const [sorted, tensors] = [2, 3].map((place) => lines.map((line) => Number(line[place])));
  expect(sorted.at(-1)).toBeGreaterThan(20);
  expect(new Set(tensors).size).toBe(1);
}, 120_000);

it('the example of the library in README.md trains, and says so at every step', async () => {
  const [, example = ''] = /^```ts\n([\s\S]*?)^```/m.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  expect(example).toContain('max_steps: 100');
  const folder = temporaryFolder();
  try {
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync(ROOT, join(folder.path, 'node_modules/rlvr-train'));
    writeFileSync(join(folder.path, 'example.mjs'), example.replace('max_steps: 100', 'max_steps: 3'));
    const { stdout } = await promisify(execFile)(process.execPath, ['example.mjs'], { cwd: folder.path });
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['baseline', '1', '2', 'final', '3']);
  } finally {
    folder.remove();
  }
}, 120_000);
