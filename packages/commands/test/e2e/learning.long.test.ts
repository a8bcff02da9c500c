import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { commandLine, readSummary, temporaryFolder } from './command_line.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

it('sorting four digits is learned from random weights: held-out accuracy rises from 0 to more than a half', async () => {
  const directory = join(folder.path, 'sort-digits');
  const flags = ['--config', 'configs/sort-digits.yaml', '--output', directory, '--max-steps', '300'];
  const outcome = await commandLine(flags);
  expect(outcome.stderr).toBe('');
  const { baseline, final } = readSummary(directory);
  expect(baseline?.eval_accuracy).toBeLessThan(0.05);
  expect(final?.eval_accuracy).toBeGreaterThan(0.5);
  expect(final?.['eval_mean@1']).toBeGreaterThan(0.5);
}, 300_000);
