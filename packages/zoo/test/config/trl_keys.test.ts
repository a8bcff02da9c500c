/** Every key of TRL 1.16's GRPOConfig is taken or refused with a reason, and TRL's own default of it is taken. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { LoadedConfig } from '../../../../src/config/load.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';

interface TrlKeys {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly others: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const { defaults, others } = JSON.parse(
  readFileSync(new URL('../../../../test/golden/trl_keys.json', import.meta.url), 'utf8'),
) as TrlKeys; // written by make_trl_keys.py

/** Keys whose default cannot hold here, each with what is said. */
const REFUSED: Readonly<Record<string, string>> = {
  gradient_accumulation_steps: 'counts micro-batches of per_device_train_batch_size, which is missing',
};

/** Of these the file of the test has its own. */
const GIVEN: readonly string[] = ['max_steps'];

const keys = Object.keys(defaults).filter((key) => !GIVEN.includes(key));

const WRITTEN_OUT = readFileSync(new URL('../../../../test/golden/trl_config.yaml', import.meta.url), 'utf8');

/** TRL's own text, with what a run here needs: a task in the place of a dataset, and a length. */
function writtenOut(...lines: readonly string[]): LoadedConfig {
  const replaced = WRITTEN_OUT.replace('max_steps: -1', 'max_steps: 2').replace('output_dir: trainer_output', '');
  const task = ['task: {name: sort_digits, digits: 2}', 'reward_funcs: [positions]'];
  return parseConfig([replaced, ...task, ...lines].join('\n'), { file: 'trl.yaml' });
}

function messageFor(lines: Readonly<Record<string, unknown>>): string {
  try {
    parseConfig(stringify({ task: 'sort_digits', max_steps: 10, ...lines }), { file: 'trl.yaml' });
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
}

describe("TRL's keys", () => {
  it.each(keys)('its default of %s is taken', (key) => {
    const message = messageFor({ [key]: defaults[key] });
    if (REFUSED[key] === undefined) expect(message).toBe('taken');
    else expect(message).toContain(REFUSED[key]);
  });

  it('all of its defaults together are a config, but for the length of the run', () => {
    expect(messageFor({ ...defaults, max_steps: 10 })).toBe('taken');
  });

  it('are a config as TRL writes them out, but for a task, a length and the folder', () => {
    const { config, notes } = writtenOut();
    expect(config).toMatchObject({
      stages: [{ batch: { numGenerations: 8, completionsPerStep: 8, completionsPerMicroBatch: 8 } }],
    });
    const noted = notes.map(({ path }) => path);
    expect(noted).toContain('logging_steps');
    expect(noted.filter((key) => !(key in parse(WRITTEN_OUT)))).toEqual([]);
    expect(notes.every(({ place, text }) => /^trl\.yaml:\d+$/.test(place) && !text.includes(';'))).toBe(true);
  });

  it('written out, train', async () => {
    const { config } = writtenOut('model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2}');
    const run = await openRun(config, await createTasks(config), await wasmBackend({ inline: true }));
    const steps: number[] = [];
    for await (const event of train(run)) if (event.type === 'step') steps.push(Number(event.metrics.grad_norm));
    await run.engine.policy.close();
    expect(steps).toHaveLength(2);
    expect(steps.every((norm) => norm > 0)).toBe(true);
  });

  it('none is unknown, whatever its value', () => {
    const further = Object.values(others).flatMap(Object.keys);
    const unknown = [...keys, ...further].filter((key) => messageFor({ [key]: 'a text' }).includes('unknown key'));
    expect(unknown).toEqual([]);
  });
});

describe("keys of TRL's that are not here", () => {
  const parsed = (yaml: string) => parseConfig(yaml, { file: 'my.yaml' }).config;

  it.each([
    ['task: t\nmax_steps: 9', 'use_vllm: false\nbf16: false\nimportance_sampling_level: token\noptim: adamw_torch'],
    [
      'data_files: q.jsonl\nmax_steps: 3',
      'dataset_config: null\ndataset_train_split: train\ndataset_streaming: false\nassistant_only_loss: true\npacking: true',
    ],
  ])('that ask for what happens anyway change nothing', (yaml, keys) => {
    expect(parsed(`${yaml}\n${keys}`)).toEqual(parsed(yaml));
  });

  it.each(
    /* biome-ignore format: a table */ [
      ['data_files: q.jsonl\ndataset_config: main',
        'my.yaml:2  dataset_config: main — files of this disk have no splits; name them by data_files, or {train: …, test: …}.'],
      ['data_files: q.jsonl\nassistant_only_loss: false',
        'my.yaml:2  assistant_only_loss: false — the loss is on the turns of the assistant, always; leave it out.'],
      ['model_name_or_path: m\ntask: t\nuse_peft: true\nlora_modules_to_save: [lm_head]',
        'my.yaml:4  lora_modules_to_save: [ lm_head ] — beside an adapter the model stays as it is'],
      ['model_name_or_path: m\ntask: t\nuse_peft: true\nlora_task_type: SEQ_CLS',
        'my.yaml:4  lora_task_type: SEQ_CLS — adapters are LoRA beside linear layers'],
    ],
  )('are refused with their line: %s', (yaml, message) => {
    expect(() => parsed(`${yaml}\nmax_steps: 3`)).toThrow(message);
  });
});
