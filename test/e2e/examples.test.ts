/** The examples run as they are written, against what was built. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('examples/tfjs.mjs: a policy of two dense layers learns to sort, and leaves no tensors behind', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/tfjs.mjs', '150'], { cwd: ROOT });
  const lines = [...stdout.matchAll(/^step (\d+): (\d+) % of the samples sorted, (\d+) tensors$/gm)];
  expect(lines.map(([, step]) => step)).toEqual(['50', '100', '150']);
  const [sorted, tensors] = [2, 3].map((place) => lines.map((line) => Number(line[place])));
  expect(sorted.at(-1)).toBeGreaterThan(20);
  expect(new Set(tensors).size).toBe(1);
}, 120_000);
