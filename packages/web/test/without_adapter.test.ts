/** Base and adapter in one engine: the base answers as it does alone, and the adapter is as it was. */
import { expect, it } from 'vitest';
import type { TrainingRun } from '../../../src/grpo/run.ts';
import { train } from '../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { weightsSha256 } from '../../../src/run/model/model_files.ts';
import { createTasks, openRun, parseConfig } from '../../../test/support/everything.ts';
import { folderOf, openPretrained } from '../../models/run/model/open_pretrained.ts';
import { smallPretrainedFiles } from '../../models/test/support/small_pretrained.ts';
import { askPolicy } from '../ask_policy.ts';
import { withoutAdapter } from '../pretrained/without_adapter.ts';

const YAML = `model_name_or_path: ./base
task: reverse_text
learning_rate: 1.0e-1
stages:
  - {stage: sft, max_steps: 2, per_device_train_batch_size: 2, eval_strategy: 'no'}
`;

const files = await smallPretrainedFiles();

async function open(keys: string): Promise<TrainingRun> {
  const pretrained = await openPretrained({ name: './base', files: folderOf(files, 'base') });
  const { config } = parseConfig(`${keys}\n${YAML}`, { file: 'inline' });
  const tasks = await createTasks(config, { codec: pretrained.codec, heldOutSample: 2 });
  return openRun(config, tasks, await wasmBackend({ inline: true }), { pretrained });
}

const ask = async (run: TrainingRun): Promise<readonly number[]> => {
  const [answer] = await askPolicy(run, 'Say something.', { temperature: 0 });
  return [...(answer?.tokens ?? []), ...(answer?.logprobs ?? [])];
};

it('the base answers to the bit as before the first step, and the adapter afterwards as it did before', async () => {
  const run = await open('use_peft: true\nlora_r: 2');
  try {
    const before = await ask(run);
    for await (const _ of train(run));
    const [trained, hash] = [await ask(run), await weightsSha256(run.engine.policy)];
    expect(trained).not.toEqual(before);
    expect(await withoutAdapter(run, () => ask(run))).toEqual(before);
    expect(await ask(run)).toEqual(trained);
    await expect(withoutAdapter(run, () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    expect(await weightsSha256(run.engine.policy)).toBe(hash);
  } finally {
    await run.engine.policy.close();
  }
});

it('is refused where all weights are trained', async () => {
  const run = await open('lora_r: 16');
  try {
    await expect(withoutAdapter(run, () => ask(run))).rejects.toThrow('there is no base to ask beside them');
  } finally {
    await run.engine.policy.close();
  }
});
