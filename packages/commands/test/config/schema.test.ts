import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { GRPO_KEYS } from '../../../../src/config/keys/grpo_keys.ts';
import { METHOD_KEYS } from '../../../../src/config/keys/method_keys.ts';
import { RUN_KEYS } from '../../../../src/config/keys/run_keys.ts';
import { SFT_KEYS } from '../../../../src/config/keys/stage_keys.ts';
import { MODEL_KEYS } from '../../../../src/config/model_config.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { KeyTable } from '../../../../src/options/keys.ts';
import { nearestKey } from '../../../../src/options/nearest_name.ts';
import { zodOf } from '../../../../src/options/schemas.ts';
import { folderOfTest } from '../../../../test/support/folders.ts';
import { configJsonSchema } from '../../../zoo/catalogue/schema.ts';
import { catalogue } from '../../../zoo/catalogue/whole_catalogue.ts';
import { UNSUPPORTED_TRL_KEYS } from '../../../zoo/elsewhere/trl_keys.ts';
import { describeOptions, textWithDefault, valueWords } from '../../../zoo/options/describe.ts';
import { relinkSchema } from '../../runs/schema_line.ts';

/** GRPOConfig of TRL 1.10 with the inherited keys that its documentation discusses. */
const TRL_KEYS = `
  model_init_kwargs trust_remote_code router_aux_loss_coef disable_dropout cast_lm_head_to_fp32 cache_implementation
  remove_unused_columns shuffle_dataset pad_to_multiple_of num_generations num_generations_eval max_completion_length
  ds3_gather_for_generation generation_batch_size steps_per_generation num_iterations temperature top_p top_k min_p
  repetition_penalty generation_kwargs chat_template_kwargs loss_type beta epsilon epsilon_high delta
  importance_sampling_level scale_rewards sapo_temperature_neg sapo_temperature_pos vespo_k_pos vespo_lambda_pos
  vespo_k_neg vespo_lambda_neg reward_weights multi_objective_aggregation mask_truncated_completions
  top_entropy_quantile off_policy_mask_threshold sync_ref_model ref_model_mixup_alpha ref_model_sync_steps
  use_bias_correction_kl entropy_coef use_adaptive_entropy entropy_coef_min entropy_coef_max entropy_coef_delta
  entropy_target max_tool_calling_iterations use_vllm vllm_mode vllm_model_impl vllm_enable_sleep_mode
  vllm_structured_outputs_regex vllm_server_base_url vllm_server_host vllm_server_port vllm_server_timeout
  vllm_group_port vllm_gpu_memory_utilization vllm_max_model_length vllm_tensor_parallel_size
  vllm_importance_sampling_correction vllm_importance_sampling_mode vllm_importance_sampling_clip_max
  vllm_importance_sampling_clip_min log_completions log_multimodal num_completions_to_print log_unique_prompts
  log_completions_hub_repo use_transformers_continuous_batching transformers_continuous_batching_config
  use_transformers_paged vllm_importance_sampling_cap learning_rate logging_steps gradient_checkpointing bf16
  output_dir per_device_train_batch_size per_device_eval_batch_size gradient_accumulation_steps num_train_epochs
  max_steps lr_scheduler_type warmup_steps optim weight_decay adam_beta1 adam_beta2 adam_epsilon max_grad_norm
  logging_first_step logging_nan_inf_filter eval_strategy eval_steps eval_on_start save_strategy save_steps
  save_total_limit save_only_model report_to run_name seed resume_from_checkpoint load_best_model_at_end
  model_name_or_path dataset_name dataset_config dataset_train_split dataset_test_split dataset_streaming
  reward_model_name_or_path reward_funcs datasets env dtype use_peft lora_r lora_alpha lora_dropout
  lora_target_modules use_rslora use_dora load_in_8bit load_in_4bit bnb_4bit_quant_type
`;

const tables: Readonly<Record<string, KeyTable>> = { RUN_KEYS, MODEL_KEYS, SFT_KEYS, GRPO_KEYS, METHOD_KEYS };
const supported = new Set(Object.values({ ...RUN_KEYS, ...GRPO_KEYS, ...METHOD_KEYS }).map((entry) => entry.yaml));

describe('the tables of keys', () => {
  it('answer every key of TRL: supported, or refused with a reason and a remedy', () => {
    for (const key of TRL_KEYS.trim().split(/\s+/)) {
      if (!supported.has(key)) expect(UNSUPPORTED_TRL_KEYS[key]?.because, key).toMatch(/^.+; .+$/);
    }
  });

  it('refuse no key that they support', () => {
    expect(Object.keys(UNSUPPORTED_TRL_KEYS).filter((key) => supported.has(key))).toEqual([]);
  });

  it.each(Object.entries(tables))('describe every key of %s in sentences that say its default', (_name, table) => {
    for (const { yaml, schema } of Object.values(table)) {
      const fallback = zodOf(schema).safeParse(undefined).data as Json | undefined;
      const text = textWithDefault(schema.description ?? '', fallback);
      expect(text, yaml).toMatch(/\.$/);
      expect(text, yaml).toMatch(/[Dd]efault/);
      expect(text, yaml).not.toContain('{default}');
    }
  });

  it('leave the value of a default to its declaration, as tasks, rewards and methods do', () => {
    const { tasks, rewards, methods } = catalogue();
    const owned = [...tasks, ...rewards, ...methods].flatMap(({ options }) => options);
    const options = [...owned, ...Object.values(tables).flatMap(describeOptions)];
    const repeating = options.filter(
      ({ text, default: value }) => value !== undefined && text.endsWith(` Default ${valueWords(value)}.`),
    );
    expect(options.length).toBeGreaterThan(800);
    expect(repeating.map(({ name, text }) => `${name}: ${text}`)).toEqual([]);
  });
});

describe('configJsonSchema', () => {
  it('describes keys, defaults and ranges for an editor, and allows no others', () => {
    expect(configJsonSchema()).toMatchObject({
      type: 'object',
      additionalProperties: false,
      oneOf: [{ required: ['task'] }, { required: ['tasks'] }, { required: ['data_files'] }],
      properties: {
        num_generations: { type: 'integer', minimum: 1, default: 8, description: expect.stringContaining('group') },
        loss_type: { enum: ['dapo', 'grpo', 'bnpo', 'dr_grpo', 'luspo', 'cispo', 'sapo', 'vespo'], default: 'dapo' },
        model: { properties: { hidden_size: { default: 128 } } },
        stages: { type: 'array', minItems: 1 },
      },
    });
  });
});

const CONFIGS = fileURLToPath(new URL('../../../../configs/', import.meta.url));
const configs = readdirSync(CONFIGS).filter((name) => name.endsWith('.yaml'));
const readConfig = (name: string): string => readFileSync(join(CONFIGS, name), 'utf8');

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
const validate = ajv.compile(configJsonSchema() as object);

/** The complaint of a validator that knows nothing of ours, or nothing. */
function complaint(config: unknown): string | undefined {
  return validate(config) ? undefined : ajv.errorsText(validate.errors);
}

describe('the JSON Schema, read by a validator', () => {
  it.each(configs)('accepts configs/%s', (name) => {
    expect(complaint(parse(readConfig(name)))).toBeUndefined();
  });

  it.each(
    /* biome-ignore format: a table */ [
      ['a key that does not exist', { task: 'countdown', learning_rat: 1e-3 }, 'additional properties'],
      ['a config without a task', { max_steps: 10 }, "required property 'task'"],
      ['a config with two ways to name tasks', { task: 'countdown', tasks: ['countdown'] }, 'exactly one schema'],
      ['a knob that there is not', { task: { name: 'countdown', digits: 3 } }, 'additional properties'],
      ['a knob out of range', { task: { name: 'countdown', numbers: 7 } }, 'numbers must be <= 4'],
      ['a level that there is not', { tasks: [{ name: 'sort_digits', level: 3 }] }, 'level must be <= 2'],
      ['an option that a reward does not take', { task: 'countdown', reward_funcs: [{ name: 'accuracy', cache: 1 }] },
        'additional properties'],
      ['a group of none', { task: 'countdown', num_generations: 0 }, 'num_generations must be >= 1'],
      ['a text for a number', { task: 'countdown', learning_rate: 'fast' }, 'learning_rate must be number'],
      ['an unknown loss', { task: 'countdown', loss_type: 'ppo' }, 'loss_type must be equal to one of'],
      ['rewards in an sft stage', { task: 'countdown', stages: [{ stage: 'sft', reward_funcs: ['accuracy'] }] },
        'stages/0'],
      ['a model without width', { task: 'countdown', model: { hidden_size: 0 } }, 'hidden_size must be'],
    ],
  )('refuses %s', (_what, config, message) => {
    expect(complaint(config)).toContain(message);
  });

  it('accepts tasks and rewards of the package and of files', () => {
    const own = { name: './tasks/mine.ts', weight: 2, anything: [1] };
    const tasks = ['countdown', { name: 'sort_digits', level: 1, digits: 5 }, own];
    const soft = { name: 'soft_overlong', weight: 0, max_tokens: 12, cache: 4 };
    expect(complaint({ tasks, reward_funcs: ['accuracy', soft, { name: 'mine', scale: 2 }] })).toBeUndefined();
    expect(complaint({ task: './tasks/mine.ts', reward_funcs: 'accuracy' })).toBeUndefined();
  });

  it.each(configs)('is found by an editor from configs/%s', (name) => {
    expect(foundFrom(CONFIGS, readConfig(name))).toBe(resolve(CONFIGS, '../dist/config.schema.json'));
  });

  describe('is found by an editor from a copy', () => {
    const folder = folderOfTest();
    const [name = ''] = configs;
    const copiedTo = (...path: string[]): string => {
      const place = join(folder(), ...path);
      mkdirSync(place, { recursive: true });
      const copied = relinkSchema(readConfig(name), place);
      expect(parse(copied)).toEqual(parse(readConfig(name)));
      return copied;
    };

    it('in a project that has the package, by a path within it', () => {
      const schema = join(folder(), 'node_modules', 'rlvr-train', 'dist', 'config.schema.json');
      mkdirSync(dirname(schema), { recursive: true });
      writeFileSync(schema, '{}');
      expect(foundFrom(folder(), copiedTo())).toBe(schema);
      expect(copiedTo()).toContain('$schema=node_modules/rlvr-train/dist/config.schema.json\n');
      expect(foundFrom(join(folder(), 'configs', 'mine'), copiedTo('configs', 'mine'))).toBe(schema);
      expect(foundFrom(join(folder(), 'my configs'), copiedTo('my configs'))).toBe(schema);
      expect(existsSync(foundFrom(folder(), copiedTo()))).toBe(true);
    });

    it('in a checkout, by a path within it', () => {
      const place = join(CONFIGS, '..', 'docs');
      const copied = relinkSchema(readConfig(name), place);
      expect(copied).toContain('$schema=../dist/config.schema.json\n');
      expect(foundFrom(place, copied)).toBe(resolve(CONFIGS, '../dist/config.schema.json'));
    });

    it('anywhere else, by its URL', () => {
      const copied = copiedTo('an empty project');
      expect(copied).toMatch(/\$schema=file:\/\/\S+\n/);
      expect(foundFrom(folder(), copied)).toBe(resolve(CONFIGS, '../dist/config.schema.json'));
    });
  });
});

/** Where the YAML language server looks, as it resolves the path of its first line; the path ends at a space. */
function foundFrom(folder: string, text: string): string {
  const [, place = ''] = /^# yaml-language-server: \$schema=(\S+)/.exec(text) ?? [];
  return place.startsWith('file:') ? fileURLToPath(place) : resolve(folder, place);
}

describe('nearestKey', () => {
  it.each(
    /* biome-ignore format: a list */ [
      ['learning_rat', 'learning_rate'], ['maxSteps', 'max_steps'], ['max-steps', 'max_steps'],
      ['group_size_of_every_prompt', undefined], ['x', undefined], ['hub_strategy', undefined],
      ['save_stratgy', undefined], ['sede', 'seed'], ['num_generation', 'num_generations'],
      ['max_completions_length', 'max_completion_length'], ['learning_rate'.repeat(50_000), undefined],
    ],
  )('finds for %s: %s', (name, nearest) => {
    expect(nearestKey(name, supported)).toBe(nearest);
  });
});
