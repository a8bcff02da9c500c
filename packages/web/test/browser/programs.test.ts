/** Programs that a policy writes are run in a page as in Node: the same verdicts, and so the same weights. */
import { expect, it } from 'vitest';
import { memoryStore } from '../../../../src/run/store/store.ts';
import { finish } from '../../../../test/run/tiny_run.ts';
import { startChromium } from './chromium.ts';
import { trainedInPage } from './trained_in_page.ts';

/** The supervised stage writes functions that run, and pass some of their tests. */
const YAML = `
task: {name: js_function}
model: {hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 4}
reward_funcs: [accuracy, {name: part, of: tests}]
eval_strategy: "no"
num_generations_eval: 2
stages:
  - {stage: sft, max_steps: 120, per_device_train_batch_size: 16, learning_rate: 3.0e-3}
  - {stage: grpo, max_steps: 3, num_generations: 8, generation_batch_size: 64, learning_rate: 1.0e-3}
`;

it('js_function trains in Chromium with the verdicts and the weights of Node', async () => {
  const store = memoryStore();
  const { weightsSha256 } = await finish({ store, yaml: YAML });
  const there = new TextDecoder().decode(await store.read('completions.jsonl'));
  expect(there).toContain('it fails a test');

  const browser = await startChromium({ webgpu: false });
  try {
    const here = await trainedInPage(browser, YAML);
    expect(here.completions).toBe(there);
    expect(here.weightsSha256).toBe(weightsSha256);
  } finally {
    await browser.close();
  }
});
