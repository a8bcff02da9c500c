/** The method that docs/own_method.md writes, step by step: its files as they stand there, through a run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { train } from '../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { openRun, parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { blockOf } from '../../../test/support/page_blocks.ts';
import { importExport, moduleReference } from '../module.node.ts';
import { openPlugins } from '../open_plugins.node.ts';

const PAGE = readFileSync(new URL('../../../docs/own_method.md', import.meta.url), 'utf8');

const METHOD = blockOf('docs/own_method.md', '// methods/spo.ts');
const CONFIG = blockOf('docs/own_method.md', 'task: {name: sort_digits, digits: 3}');

eachInOwnFolder(() => {
  mkdirSync('methods');
  writeFileSync('methods/spo.ts', METHOD);
});

/** Trains a few steps of a small policy, with evaluations left out. */
async function trained(yaml: string) {
  const loaded = parseConfig(yaml, { file: 'my.yaml' }, ['max_steps=4', 'model.hidden_size=16', 'eval_strategy="no"']);
  const opened = await openPlugins(loaded, { file: 'my.yaml', announce: () => {} });
  const { config, tasks, methods } = opened;
  const options = { methods, lineOf: loaded.lineOf };
  const run = await openRun(config, tasks, await wasmBackend({ inline: true }), options);
  const losses: number[] = [];
  const said: string[] = [];
  for await (const event of train(run)) {
    if (event.type === 'step') losses.push(Number(event.metrics.loss));
    if (event.type === 'diagnosis') said.push(event.diagnosis.message);
  }
  await run.engine.policy.close();
  await opened.close();
  return { losses, said };
}

it('is as long as the page says', () => {
  const [, lines] = /As a method that is a file of (\d+) lines/.exec(PAGE) ?? [];
  expect(METHOD.trimEnd().split('\n')).toHaveLength(Number(lines));
});

it('trains by its config, with its schedule, to other losses than the clip', async () => {
  const { losses, said } = await trained(CONFIG);
  expect(losses).toHaveLength(4);
  expect(losses.every(Number.isFinite)).toBe(true);
  expect(said.filter((text) => text.includes('spo'))).toEqual([]);
  const clipped = await trained(CONFIG.replace(/^objective:.*$/m, 'objective: ppo-clip'));
  expect(losses[1]).not.toBe(clipped.losses[1]);
});

it('warns where it is asked for in vain', async () => {
  const { said } = await trained(CONFIG.replace('num_iterations: 2', 'num_iterations: 1'));
  expect(said[0]).toBe('objective: spo — on fresh completions every ratio is 1; raise num_iterations.');
});

it('passes the check of its derivative, which fails where the derivative is wrong', async () => {
  const check = `${blockOf('docs/own_method.md', '// methods/check_spo.mjs')}export default true;`; // which a file that is loaded must have
  writeFileSync('methods/check_spo.ts', check);
  await importExport(moduleReference('./methods/check_spo.ts', undefined, '.'));
  writeFileSync('methods/wrong.ts', METHOD.replace('pull * ratio)', 'pull)'));
  writeFileSync('methods/check_wrong.ts', check.replace('./spo.ts', './wrong.ts'));
  await expect(importExport(moduleReference('./methods/check_wrong.ts', undefined, '.'))).rejects.toThrow(
    'AssertionError',
  );
});
