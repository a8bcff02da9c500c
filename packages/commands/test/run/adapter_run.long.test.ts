/** Runs that train an adapter: what they leave, and what they go on with. */

import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../../src/config/dump.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import { Policy } from '../../../../src/model/policy.ts';
import { plannedMemory } from '../../../../src/planning/memory_plan.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { modelCard } from '../../../../src/run/model/model_card.ts';
import { exportModel, lastOrigin } from '../../../../src/run/model/model_export.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { randomGroups, SMALL_CAPACITY } from '../../../../test/support/policies.ts';
import { loadPretrained } from '../../../models/model/pretrained/load_weights.ts';
import { loadOwnModel } from '../../../models/run/model/load_own_model.ts';
import { folderOf, merged, openPretrained } from '../../../models/run/model/open_pretrained.ts';
import type { ModelPlace, Pretrained } from '../../../models/run/model/pretrained.ts';
import { writeGgufAdapter } from '../../../models/run/model/write_gguf_adapter.ts';
import {
  SMALL_ADAPTER,
  smallPretrainedFiles,
  writeSmallAdapter,
} from '../../../models/test/support/small_pretrained.ts';
import { openForInference } from '../support/inference.ts';

const YAML = `model_name_or_path: ./base
task: reverse_text
num_generations: 2
generation_batch_size: 4
max_completion_length: 4
learning_rate: 1.0e-2
max_steps: 2
eval_strategy: 'no'
num_generations_eval: 1
reward_funcs: [letters]
`;

const letters: RewardFunction = {
  name: 'letters',
  score: ({ completions }) => completions.map((text) => text.replace(/[^a-z]/gi, '').length),
};

const baseIn = (store: Store): ModelPlace => ({
  name: './base',
  files: folderOf(store, 'base'),
  location: { name: '/models/base' },
});

async function openWith(pretrained: Pretrained, keys: string, yaml = YAML): Promise<TrainingRun> {
  const { config } = parseConfig(`${yaml}${keys}`, { file: 'inline' });
  const tasks = await createTasks(config, { codec: pretrained.codec, heldOutSample: 2 });
  return openRun(config, tasks, await wasmBackend({ inline: true }), { pretrained, rewards: { letters } });
}

async function trainAll(run: TrainingRun): Promise<void> {
  for await (const _ of train(run));
}

/** Log-probs of the same random texts. */
async function logprobsOf(policy: Policy): Promise<Float32Array> {
  return (await policy.score(packBatch(randomGroups([2, 1], { vocabSize: 400, longest: 6 })), 1)).logprobs;
}

describe('a run of an adapter', () => {
  it('leaves it in PEFT’s layout, beside the tokenizer’s files as they were, and opens again', async () => {
    const files = await smallPretrainedFiles();
    const run = await openWith(
      await openPretrained(baseIn(files)),
      'use_peft: true\nlora_r: 2\nlora_target_modules: [q_proj, down_proj]\n',
    );
    await trainAll(run);
    const sha256 = await exportModel(files, 'model', run, lastOrigin(run));
    expect(sha256).toBe(await weightsSha256(run.engine.policy));
    expect(await files.list('model')).toEqual([
      'README.md',
      'adapter_config.json',
      'adapter_model.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
      expect(await files.read(`model/${name}`), name).toEqual(await files.read(`base/${name}`));
    }
    const config = JSON.parse(new TextDecoder().decode(await files.read('model/adapter_config.json')));
    expect(config).toMatchObject({
      peft_type: 'LORA',
      base_model_name_or_path: '/models/base',
      r: 2,
      lora_alpha: 32,
      target_modules: ['q_proj', 'down_proj'],
    });
    const card = modelCard(run, lastOrigin(run), sha256);
    expect(card).toContain('An adapter (LoRA, r 2, alpha 32, beside q_proj, down_proj) of 144 parameters');
    expect(card).toContain('AutoPeftModelForCausalLM.from_pretrained(".")');

    const again = await openPretrained(baseIn(files));
    const asked = await openForInference(
      run.config,
      run.engine.tasks,
      await wasmBackend({ inline: true }),
      { prompts: 2, samples: 1 },
      again,
    );
    await loadOwnModel(files, asked);
    expect(await weightsSha256(asked.engine.policy)).toBe(sha256);
    await asked.engine.policy.close();
    await run.engine.policy.close();
  });

  it.each(['', 'use_dora: true\n'])('merged has the log-probs that it had beside its base; %j', async (keys) => {
    const files = await smallPretrainedFiles();
    const run = await openWith(await openPretrained(baseIn(files)), `use_peft: true\n${keys}`);
    await trainAll(run);
    await exportModel(files, 'model', run, lastOrigin(run));
    const place = { ...baseIn(files), adapter: { name: 'model', files: folderOf(files, 'model') } };
    const { model } = merged(await openPretrained(place));
    const policy = await Policy.open(await wasmBackend({ inline: true }), model.shape, SMALL_CAPACITY);
    await loadPretrained(model, policy);
    const [whole, beside] = [await logprobsOf(policy), await logprobsOf(run.engine.policy)];
    whole.forEach((value, i) => expect(Math.abs(value - beside[i])).toBeLessThan(1e-5));
    await policy.close();
    await run.engine.policy.close();
  });

  it('with magnitudes is no GGUF adapter, and the refusal says what it can be', async () => {
    const files = await smallPretrainedFiles();
    const run = await openWith(await openPretrained(baseIn(files)), 'use_peft: true\nuse_dora: true\n');
    await exportModel(files, 'model', run, lastOrigin(run));
    await run.engine.policy.close();
    const place = { ...baseIn(files), adapter: { name: 'model', files: folderOf(files, 'model') } };
    const { adapter, ...opened } = await openPretrained(place);
    if (adapter === undefined) throw new Error('expected an adapter');
    await expect(writeGgufAdapter(memoryStore(), 'a.gguf', { ...opened, adapter }, 'f16')).rejects.toThrow(
      /this one has magnitudes \(use_dora\); use --to gguf or merged, which merge it, or --to peft\./,
    );
  });

  it('has for a reference what its grpo stage began with: the base, or the adapter that a supervised stage left', async () => {
    const files = await smallPretrainedFiles();
    const keys = 'use_peft: true\nbeta: 0.1\n';
    const asked = YAML.replace('max_steps: 2\n', '');
    for (const sft of ['', '  - {stage: sft, max_steps: 2, per_device_train_batch_size: 2}\n']) {
      const stages = `stages:\n${sft}  - {stage: grpo, max_steps: 2, per_device_train_batch_size: 4}\n`;
      const run = await openWith(await openPretrained(baseIn(files)), keys, `${asked}${stages}`);
      const { policy } = run.engine;
      const base = await logprobsOf(policy);
      let begun = base;
      for await (const event of train(run)) {
        if (event.type === 'step' && event.stage === 'sft') begun = await logprobsOf(policy);
      }
      const texts = packBatch(randomGroups([2, 1], { vocabSize: 400, longest: 6 }));
      const { logprobs } = await policy.score(texts, 1, 'reference');
      expect(logprobs).toEqual(begun);
      expect(sft !== '').toBe(begun.some((value, i) => value !== base[i]));
      expect(await logprobsOf(policy)).not.toEqual(begun);
      await policy.close();
    }
  });

  it('begins as its base, B being 0, and its checkpoints are planned as small as they are', async () => {
    const backend = await wasmBackend({ inline: true });
    const files = await smallPretrainedFiles();
    const [whole, beside] = [
      await openWith(await openPretrained(baseIn(files)), ''),
      await openWith(await openPretrained(baseIn(files)), 'use_peft: true\n'),
    ];
    expect(await logprobsOf(beside.engine.policy)).toEqual(await logprobsOf(whole.engine.policy));
    const [all, own] = [whole, beside].map(({ engine: { policy } }) =>
      plannedMemory(backend, [policy.plan], 0).get('checkpoints'),
    );
    expect(own).toBeLessThan((all ?? 0) / 2);
    for (const {
      engine: { policy },
    } of [whole, beside])
      await policy.close();
  });
});

describe('an adapter that is there already', () => {
  async function withAdapter(baseSha256 = ''): Promise<{ place: ModelPlace; files: Store }> {
    const files = await smallPretrainedFiles();
    await writeSmallAdapter(files, 'adapter', { name: { name: '/models/base' }, sha256: baseSha256 });
    return { files, place: { ...baseIn(files), adapter: { name: './adapter', files: folderOf(files, 'adapter') } } };
  }

  it('is gone on with: rank, alpha and modules are its own', async () => {
    const { place, files } = await withAdapter();
    const pretrained = await openPretrained(place);
    const run = await openWith(pretrained, 'adapter_name_or_path: ./adapter\n');
    expect(run.config.adapter).toEqual(SMALL_ADAPTER);
    const fresh = await openPretrained({ ...place, adapter: { name: 'again', files: folderOf(files, 'adapter') } });
    for (const parameter of run.engine.policy.adapterParameters) {
      const values = await run.engine.policy.readParameter(parameter);
      await fresh.adapter?.tensors.get(parameter.name)?.read((piece, at) => {
        expect(values.subarray(at, at + piece.length), parameter.name).toEqual(piece);
      });
    }
    const before = await weightsSha256(run.engine.policy);
    await trainAll(run);
    expect(await weightsSha256(run.engine.policy)).not.toBe(before);
    // The config of the run says what the files said, and runs as it stands.
    const yaml = resolvedYaml(run.config);
    expect(yaml).toContain('adapter_name_or_path: ./adapter');
    expect(yaml).toContain('lora_r: 2');
    expect(parseConfig(yaml, { file: 'again' }).config.adapter).toEqual(SMALL_ADAPTER);
    await run.engine.policy.close();
  });

  it('contradicts keys that say another one', async () => {
    const pretrained = await openPretrained((await withAdapter()).place);
    await expect(openWith(pretrained, 'adapter_name_or_path: ./adapter\nuse_peft: true\nlora_r: 8\n')).rejects.toThrow(
      /lora_r: 8 — the adapter that the run continues has 2; leave the key out/,
    );
  });

  it('that was trained here beside other weights says so', async () => {
    const { place } = await withAdapter('f'.repeat(64));
    expect((await openPretrained(place)).adapter?.notes).toEqual([
      expect.stringMatching(/^trained beside weights with SHA-256 ffffffff…, and those of \.\/base have \w{8}…$/),
    ]);
  });

  it('needs the model that it stands beside', () => {
    expect(() =>
      parseConfig('task: reverse_text\nmax_steps: 1\nadapter_name_or_path: ./adapter\n', { file: 'a' }),
    ).toThrow(/adapter_name_or_path: "?\.\/adapter"? — belongs to the weights of a model; add model_name_or_path/);
  });
});
