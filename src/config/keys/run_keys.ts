/** The keys that belong to the run as a whole, not to a stage. */
import { z } from 'zod';
import { key, laterKey } from '../../options/keys.ts';
import { choice, flag, integer, number, optional, plainData, plugin, text } from '../../options/schemas.ts';
import type { TaskEntry } from '../mixture.ts';
import { REPORT_TO } from '../report_to.ts';
import { ADAPTER_KEYS } from './adapter_keys.ts';
import { BASE_KEYS } from './base_keys.ts';
import { DATASET_KEYS } from './dataset_keys.ts';
import { shareWeight } from './share_weight.ts';

const taskName = text('countdown');
const taskEntry = z.union(
  [
    taskName.transform((name): TaskEntry => ({ task: { name }, weight: 1 })),
    z
      .object({ name: taskName, weight: shareWeight })
      .catchall(plainData())
      .transform(({ weight, ...task }): TaskEntry => ({ task, weight })),
  ],
  { error: 'must be a name, or a mapping with a name; for example countdown' },
);

const modelsError = 'must map teacher to a model; for example {teacher: {path: runs/teacher}}';
const FURTHER_MODELS = optional(
  z.strictObject(
    {
      teacher: z.strictObject(
        { path: text('runs/teacher') },
        { error: 'must be a mapping with a path; for example {path: runs/teacher}' },
      ),
    },
    { error: modelsError },
  ),
).describe(
  'Further models of the run, which stay as they are. teacher is the one that teacher-kl and teacher-credit learn from: ' +
    '{path: …}, whatever model_name_or_path takes, with the vocabulary of the policy. Default: none.',
);

/** Every key of the top level that is not a stage's, except `model` and `stages`. */
export const RUN_KEYS = {
  task: key(
    'task',
    plugin('countdown')
      .optional()
      .describe(
        'The task: a name, a file of yours (./tasks/mine.ts), or {name, …} with a level or the knobs of its difficulty. ' +
          '{name: mixture, parts: [{task: gcd, level: 1, weight: 2}, {task: lcm}]} is several in one, as tasks is. ' +
          'No default.',
      ),
  ),
  tasks: key(
    'tasks',
    z
      .array(taskEntry, {
        error: 'must be a list of tasks; for example [reverse_text, {name: sort_digits, weight: 2}]',
      })
      .min(1, { error: 'must name at least one task; for example [reverse_text, {name: sort_digits, weight: 2}]' })
      .optional()
      .describe(
        'Several tasks instead of one: each a name, or {name, weight, level, …} with its knobs. The weight says how ' +
          'often its problems are drawn, and how much it counts in the evaluation. Default weight 1.',
      ),
  ),
  ...DATASET_KEYS,
  systemPrompt: key(
    'system_prompt',
    optional(text('Think step by step.')).describe(
      "Said before each row of data_files or dataset_name, as task's system says it. Default: nothing.",
    ),
  ),
  modelNameOrPath: key(
    'model_name_or_path',
    optional(text('./smollm2')).describe(
      'Weights to begin with instead of random ones: a folder in the layout of Hugging Face, a .gguf file, the directory ' +
        'of a run or one of its checkpoints (runs/first/checkpoints/grpo-200), relative to this file; or owner/name, a ' +
        'model of the Hugging Face hub that `rlvr-train fetch` has fetched. It brings shape and vocabulary, and a ' +
        'pretrained one its chat template. Default: random weights of the shape under model:.',
    ),
  ),
  adapterNameOrPath: key(
    'adapter_name_or_path',
    optional(text('./adapter')).describe(
      'A LoRA adapter to continue, beside model_name_or_path: a folder as PEFT writes it, or the directory of a run ' +
        'or one of its checkpoints; relative to this file. It brings lora_r, lora_alpha, use_rslora and lora_target_modules. Default: a new one ' +
        'with use_peft, else none.',
    ),
  ),
  chatTemplateKwargs: key(
    'chat_template_kwargs',
    optional(
      z.record(z.string(), plainData(), { error: 'must be a mapping; for example {enable_thinking: false}' }),
    ).describe('Given to the chat template of a pretrained model besides the messages. Default: nothing.'),
  ),
  models: laterKey('models', FURTHER_MODELS),
  ...ADAPTER_KEYS,
  ...BASE_KEYS,
  maxPromptLength: key(
    'max_prompt_length',
    optional(integer({ min: 1, max: 1_000_000, example: 512 })).describe(
      'Most tokens of a prompt, those of the chat template included. Default: what the tasks say, or what was measured ' +
        'of a pretrained model. Nothing is cut off a prompt.',
    ),
  ),
  overlongPrompts: key(
    'overlong_prompts',
    optional(choice(['error', 'drop'])).describe(
      'What becomes of a longer prompt: error stops the run, drop leaves it out of training and evaluation and counts it. ' +
        'Default error.',
    ),
  ),
  maxToolCallingIterations: key(
    'max_tool_calling_iterations',
    optional(integer({ min: 1, max: 1000, example: 4 })).describe(
      'Most turns of an episode that call tools, of tasks that have some; one more may answer. Default: what the task says.',
    ),
  ),
  seed: key(
    'seed',
    integer({ min: 0, max: 2 ** 32 - 1, example: 42 })
      .default(42)
      .describe('Decides initial weights, problems and sampling: same seed, same bits.'),
  ),
  outputDir: key(
    'output_dir',
    optional(text('runs/countdown')).describe(
      'Run directory. Default: a new one under runs/, named for the config file.',
    ),
  ),
  backend: key(
    'backend',
    choice(
      ['auto', 'webgpu', 'wasm', 'reference', 'tfjs:cpu', 'tfjs:wasm', 'tfjs:webgpu', 'tfjs:tensorflow'],
      'not a backend of this build',
    )
      .default('auto')
      .describe(
        'Kernel set: auto takes the fastest that starts; reference is float64 and slow; tfjs:… are TensorFlow.js ' +
          'with its packages installed.',
      ),
  ),
  gradientCheckpointing: laterKey(
    'gradient_checkpointing',
    optional(flag()).describe(
      'Whether the backward pass computes the activations of each layer again instead of keeping them: less memory, more ' +
        'time, the same bits. Default: only where there is no room to keep them (TRL: true).',
    ),
  ),
  freeze: laterKey(
    'freeze',
    optional(
      z
        .array(text('layers.0-3'), { error: 'must be a list of names; for example [embed_tokens, layers.0-3]' })
        .min(1, { error: 'empty; for example [embed_tokens, layers.0-3]' }),
    ).describe(
      'Tensors that are not trained: each entry is a part of their names as checkpoints write them, and may hold a range ' +
        'of layers, [embed_tokens, layers.0-3, mlp]. Gradients, moments and checkpoints are of the rest alone. Default: all ' +
        'weights are trained, or with use_peft none but the adapter.',
    ),
  ),
  storageDtype: key(
    'storage_dtype',
    choice(['float32', 'float16', 'bfloat16'], 'not a type to store in')
      .default('float32')
      .describe(
        'How keys and values are kept, and on webgpu activations and reference weights too. float16 (webgpu) takes half ' +
          'the memory, rounds them to 11 bits, and needs an adapter with shader-f16; with a reference policy KL then ' +
          'starts near 0, not at it. bfloat16 (wasm) takes half the memory of keys and values, and rounds them ' +
          'to 8 bits. All else, and all arithmetic, is float32.',
      ),
  ),
  threads: key(
    'threads',
    optional(integer({ min: 1, max: 256, example: 2 })).describe(
      'Worker threads; they do not change the result. Default: one per core.',
    ),
  ),
  rewardTimeout: key(
    'reward_timeout',
    number({ above: 0, example: 60 })
      .default(60)
      .describe('Most seconds that a reward function or task from a file of yours may take for one call.'),
  ),
  saveSeconds: key(
    'save_seconds',
    number({ above: 0, example: 10 })
      .default(10)
      .describe('Most seconds of work that a kill can lose: time between checkpoints.'),
  ),
  saveTotalLimit: key(
    'save_total_limit',
    integer({ min: 1, max: 1_000_000, example: 2 })
      .default(2)
      .describe('Checkpoints kept; older ones are deleted. Default {default} (TRL: all).'),
  ),
  loadBestModelAtEnd: key(
    'load_best_model_at_end',
    flag()
      .default(false)
      .describe(
        'End with the weights of the best evaluation instead of the last ones: they are the model. Best by ' +
          'metric_for_best_model.',
      ),
  ),
  metricForBestModel: key(
    'metric_for_best_model',
    optional(text('eval_accuracy')).describe(
      'By which metric of the evaluations one is the best, as metrics.jsonl has it; eval_ may be left out. Default ' +
        'eval_accuracy, greedy accuracy on held-out problems (TRL: loss).',
    ),
  ),
  greaterIsBetter: key(
    'greater_is_better',
    optional(flag()).describe('Whether more of metric_for_best_model is better. Default true.'),
  ),
  reportTo: REPORT_TO,
  reporters: key(
    'reporters',
    z
      .array(plugin('./mine.ts'), { error: 'must be a list of files; for example [./reporters/mine.ts]' })
      .optional()
      .describe(
        'Files of yours that receive the events of the run: each a path, or {name, …} with its options. What they do never ' +
          'stops or slows the run. Default: none.',
      ),
  ),
};
