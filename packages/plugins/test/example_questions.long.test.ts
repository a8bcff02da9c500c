import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { train } from '../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { loadConfigFile, openRun } from '../../../test/support/everything.ts';
import { openPlugins } from '../open_plugins.node.ts';

it('the example of 200 questions learns from what it is shown, and goes on by GRPO', async () => {
  const file = fileURLToPath(new URL('../../../examples/questions.yaml', import.meta.url));
  const loaded = await loadConfigFile(file, ['stages.1.max_steps=3']);
  const opened = await openPlugins(loaded, { file, announce: () => {} });
  const { config, tasks } = opened;
  expect((tasks.trainProblems() ?? 0) + tasks.heldOutItems().length).toBe(200);
  const run = await openRun(config, tasks, await wasmBackend({ inline: true, fma: false }));
  const rewards: number[] = [];
  for await (const event of train(run)) {
    if (event.type === 'step' && event.stage === 'grpo') rewards.push(Number(event.metrics.reward));
  }
  // From random weights in bytes, none of these is ever right by chance.
  expect(run.journal.state.baseline?.meanAtK.mean).toBeGreaterThan(0.1);
  expect(rewards).toHaveLength(3);
  expect(Math.min(...rewards)).toBeGreaterThan(0.05);
  await run.engine.policy.close();
  await opened.close();
}, 120_000);

it('the example for SmolLM2 has 200 conversations with right answers, for a supervised stage and then GRPO', async () => {
  const file = fileURLToPath(new URL('../../../examples/largest.yaml', import.meta.url));
  const { config } = await loadConfigFile(file, []);
  expect(config.stages.map(({ stage }) => stage)).toEqual(['sft', 'grpo']);
  expect(config.adapter).toBeDefined();
  const lines = readFileSync(file.replace(/yaml$/, 'jsonl'), 'utf8').trimEnd().split('\n');
  const wrong = lines.filter((line) => {
    const [, asked, answered] = JSON.parse(line).messages as readonly { readonly content: string }[];
    const numbers = [...asked.content.matchAll(/\d+/g)].map(Number);
    return Number(answered.content) !== Math.max(...numbers);
  });
  expect([lines.length, wrong]).toEqual([200, []]);
});
