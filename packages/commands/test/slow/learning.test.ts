/** The shipped jobs on a software adapter of WebGPU, whole: they reach what they reach on wasm. Takes an hour. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDriver } from '../../../webgpu/test/support/adapters.ts';
import { commandLine, readSummary, temporaryFolder } from '../e2e/command_line.ts';

const folder = temporaryFolder();
beforeAll(() => {
  useDriver('lavapipe');
});
afterAll(() => folder.remove());

it.each([
  ['sort-digits', 'eval_accuracy', 0.93],
  ['reverse-text', 'eval_mean@4', 0.8],
])('%s reaches %s of %d on lavapipe', async (name, figure, least) => {
  const directory = join(folder.path, name);
  const flags = ['--config', `configs/${name}.yaml`, '--set', 'backend=webgpu', '--output', directory];
  const outcome = await commandLine(flags);
  expect(outcome.code).toBe(0);
  expect(outcome.stdout).toMatch(/backend +webgpu.*llvmpipe/);
  process.stdout.write(`${outcome.stdout.split('\n').slice(-10).join('\n')}\n`);
  expect(readSummary(directory).final?.[figure]).toBeGreaterThan(least);
});
