/** Before and now in one engine: the policy answers as it did before the first step, and is afterwards as it was. */
import { expect, it } from 'vitest';
import type { TrainingRun } from '../../../src/grpo/run.ts';
import { train } from '../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { weightsSha256 } from '../../../src/run/model/model_files.ts';
import { createTasks, openRun, parseConfig } from '../../../test/support/everything.ts';
import { folderOf, openPretrained } from '../../models/run/model/open_pretrained.ts';
import { smallPretrainedFiles } from '../../models/test/support/small_pretrained.ts';
import { asItBegan } from '../as_it_began.ts';
import { askPolicy } from '../ask_policy.ts';

const STAGES = `stages:
  - {stage: sft, max_steps: 2, per_device_train_batch_size: 2, eval_strategy: 'no'}
`;
const PRETRAINED = `model_name_or_path: ./base
task: reverse_text
learning_rate: 1.0e-1
${STAGES}`;
const FROM_SEED = `task: sort_digits
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}
seed: 3
learning_rate: 1.0e-1
${STAGES}`;

const files = await smallPretrainedFiles();

async function openOnBase(keys: string): Promise<TrainingRun> {
  const pretrained = await openPretrained({ name: './base', files: folderOf(files, 'base') });
  const { config } = parseConfig(`${keys}\n${PRETRAINED}`, { file: 'inline' });
  const tasks = await createTasks(config, { codec: pretrained.codec, heldOutSample: 2 });
  return openRun(config, tasks, await wasmBackend({ inline: true }), { pretrained });
}

async function openFromSeed(): Promise<TrainingRun> {
  const { config } = parseConfig(FROM_SEED, { file: 'inline' });
  return openRun(config, await createTasks(config), await wasmBackend({ inline: true }), {});
}

it.each([
  ['an adapter', () => openOnBase('use_peft: true\nlora_r: 2'), 'Say something.'],
  ['weights from a seed', openFromSeed, '3142>'],
])(
  'with %s it answers to the bit as before the first step, and afterwards as it did before',
  async (_, open, prompt) => {
    const run = await open();
    const ask = async (base = false): Promise<readonly number[]> => {
      const [answer] = await askPolicy(run, prompt, { temperature: 0, base });
      return [...(answer?.tokens ?? []), ...(answer?.logprobs ?? [])];
    };
    try {
      const before = await ask();
      for await (const _event of train(run));
      const [trained, hash] = [await ask(), await weightsSha256(run.engine.policy)];
      expect(trained).not.toEqual(before);
      expect(await ask(true)).toEqual(before);
      expect(await ask()).toEqual(trained);
      await expect(asItBegan(run, () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
      expect(await weightsSha256(run.engine.policy)).toBe(hash);
    } finally {
      await run.engine.policy.close();
    }
  },
);

it('is refused where all weights of a pretrained model are trained', async () => {
  const run = await openOnBase('lora_r: 16');
  try {
    await expect(asItBegan(run, () => Promise.resolve())).rejects.toThrow('those of before are not kept');
  } finally {
    await run.engine.policy.close();
  }
});
