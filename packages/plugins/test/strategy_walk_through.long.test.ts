/** The strategy that docs/own_strategy.md writes, with its config and its test, as they stand there. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { openRun, parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { goOn } from '../../../test/support/killed_runs.ts';
import { blockOf } from '../../../test/support/page_blocks.ts';
import { importExport, moduleReference } from '../module.node.ts';
import { openPlugins } from '../open_plugins.node.ts';

const PAGE = 'docs/own_strategy.md';
const STRATEGY = blockOf(PAGE, '// methods/hot_retry.ts');
const home = process.cwd();

eachInOwnFolder(() => {
  mkdirSync('methods');
  writeFileSync('methods/hot_retry.ts', STRATEGY);
});

it('is as long as the page says', () => {
  const text = readFileSync(join(home, PAGE), 'utf8');
  const [, lines] = /once more, hotter, in (\d+) lines/.exec(text) ?? [];
  expect(STRATEGY.trimEnd().split('\n')).toHaveLength(Number(lines));
});

it('trains by its config, and its retries are off-policy and named in the metrics', async () => {
  const small = ['max_steps=2', 'model.hidden_size=16', 'eval_strategy="no"', 'reward_funcs=[positions]'];
  const loaded = parseConfig(blockOf(PAGE, 'task: {name: sort_digits, digits: 3}'), { file: 'my.yaml' }, small);
  const { config, tasks, methods, close } = await openPlugins(loaded, { file: 'my.yaml', announce: () => {} });
  const run = await openRun(config, tasks, await wasmBackend({ inline: true }), { methods, lineOf: loaded.lineOf });
  const { metrics, batches } = await goOn(run);
  await run.engine.policy.close();
  await close();
  expect(metrics).toHaveLength(2);
  for (const [i, { groups }] of batches.entries()) {
    const retried = groups.filter(({ rollouts }) => rollouts[0].origin === 'retry');
    expect(retried.every(({ rollouts }) => rollouts.every(({ isOffPolicy }) => isOffPolicy))).toBe(true);
    expect(metrics[i]['completions/retry'] ?? 0).toBeCloseTo(retried.length / groups.length, 12);
    expect(metrics[i]['hot-retry/rate']).toBeGreaterThan(0); // random weights seldom sort
  }
});

it('passes its test, which fails where the second try is taken whatever it brought', async () => {
  const check = `${blockOf(PAGE, '// methods/check_hot_retry.mjs')}export default true;`; // which a file that is loaded must have
  writeFileSync('methods/check.ts', check);
  await importExport(moduleReference('./methods/check.ts', undefined, '.'));
  writeFileSync('methods/wrong.ts', STRATEGY.replace('second && isSolved(second) ?', 'second ?'));
  writeFileSync('methods/check_wrong.ts', check.replace('./hot_retry.ts', './wrong.ts'));
  await expect(importExport(moduleReference('./methods/check_wrong.ts', undefined, '.'))).rejects.toThrow(
    'AssertionError',
  );
});
