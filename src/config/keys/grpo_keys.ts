/** The keys of a `grpo` stage besides its methods': batching, sampling, rewards. Spelling and defaults are TRL's. */
import { z } from 'zod';
import { key, laterKey } from '../../options/keys.ts';
import { isSchedule } from '../../options/schedule.ts';
import { choice, flag, integer, number, optional, plainData, text } from '../../options/schemas.ts';
import { recorded } from '../recorded_keys.ts';
import { MOST_COMPLETIONS, MOST_SAMPLES, MOST_TOKENS } from './limits.ts';
import { evaluationInterval, SHARED_KEYS } from './stage_keys.ts';

const moving =
  'must be one number, which evaluations keep to; move that of the rollouts with controllers: ' +
  '[{name: temperature-schedule, sampling_temperature: {from: 1.2, to: 0.8}}]';
const greedy = 'must be greater than 0, as a greedy group has no spread and so no advantage; for example 1';
const rewardError = 'must be a name, or a mapping with a name and a weight of at least 0; for example accuracy';

const rewardMapping = z
  .object({ name: text('accuracy'), weight: number({ min: 0, example: 1 }).optional() })
  .catchall(plainData());
const rewardFunction = z.union([text('accuracy').transform((name) => ({ name, weight: undefined })), rewardMapping], {
  error: rewardError,
});

/** `{accuracy: 1}` is how weights are often tried. */
function likeMapping(written: unknown): string {
  const [name, weight] = Object.entries(written ?? {})[0] ?? [];
  return typeof weight === 'number' ? `[{name: ${name}, weight: ${weight}}]` : '[accuracy]';
}

/** Every batch that waits is kept in memory and in checkpoints. */
const MOST_STALE = 64;

const BATCH_KEYS = {
  evalSteps: key(
    'eval_steps',
    evaluationInterval(25)
      .default(25)
      .describe(
        'Optimizer steps from one evaluation to the next. Default {default} (TRL: None), so that every run has a curve.',
      ),
  ),
  completionsPerMicroBatch: key(
    'per_device_train_batch_size',
    optional(integer({ min: 1, max: MOST_COMPLETIONS, example: 64 })).describe(
      'Completions that go through the model at once, a multiple of num_generations or, of large groups, a divisor. Default: what fits (TRL: 8).',
    ),
  ),
  gradientAccumulationSteps: key(
    'gradient_accumulation_steps',
    optional(integer({ min: 1, max: MOST_COMPLETIONS, example: 1 })).describe(
      'Micro-batches in an optimizer step. Default: the whole generation batch, so that a step is exactly on-policy ' +
        '(TRL: 1, which takes several steps per batch).',
    ),
  ),
  generationBatchSize: key(
    'generation_batch_size',
    optional(integer({ min: 2, max: MOST_COMPLETIONS, example: 512 })).describe(
      'Completions sampled at a time, a multiple of num_generations. Default: per_device_train_batch_size × ' +
        'steps_per_generation where the first is given, else 32 groups (TRL: one group, too noisy a step).',
    ),
  ),
  stepsPerGeneration: key(
    'steps_per_generation',
    optional(integer({ min: 1, max: MOST_COMPLETIONS, example: 4 })).describe(
      'The same in micro-batches of per_device_train_batch_size. Default gradient_accumulation_steps.',
    ),
  ),
  numGenerations: key(
    'num_generations',
    integer({ min: 1, max: MOST_COMPLETIONS, example: 8 })
      .default(8)
      .describe('Completions of a prompt: a group. 1 only with estimators such as gae.'),
  ),
  numGenerationsEval: key(
    'num_generations_eval',
    integer({ min: 1, max: MOST_SAMPLES, example: 4 })
      .default(4)
      .describe(
        'Sampled completions of a held-out problem. Default {default} (TRL: num_generations), to keep evaluation cheap.',
      ),
  ),
  numIterations: key(
    'num_iterations',
    integer({ min: 1, max: 1000, example: 1 }).default(1).describe('Passes over the same completions.'),
  ),
  staleness: recorded(
    'stage',
    laterKey(
      'staleness',
      integer({ min: 0, max: MOST_STALE, example: 1 })
        .default(0)
        .describe(
          'Batches that are sampled ahead: batch b is sampled by the weights that batch b − staleness − 1 left. ' +
            'Default {default}, on-policy.',
        ),
    ),
  ),
};

const SAMPLING_KEYS = {
  maxCompletionTokens: recorded(
    'sampling',
    key(
      'max_completion_length',
      optional(integer({ min: 1, max: MOST_TOKENS, example: 32 })).describe(
        'Longest completion, in tokens, EOS included. Default: what the task needs (TRL: 512).',
      ),
    ),
  ),
  temperature: recorded(
    'sampling',
    key(
      'temperature',
      z
        .number({ error: ({ input }) => (isSchedule(input) ? moving : 'must be a finite number; for example 1') })
        .gt(0, { error: greedy })
        .default(1)
        .describe('Divides the logits; part of the policy. temperature-schedule moves it.'),
    ),
  ),
  topK: recorded(
    'sampling',
    key(
      'top_k',
      integer({ min: 0, max: MOST_TOKENS, example: 0 })
        .default(0)
        .describe('Sample from the k likeliest tokens; 0 is off.'),
    ),
  ),
  topP: recorded(
    'sampling',
    key(
      'top_p',
      number({ above: 0, max: 1, example: 1 }).default(1).describe('Sample from this much probability mass; 1 is off.'),
    ),
  ),
  minP: recorded(
    'sampling',
    key(
      'min_p',
      number({ min: 0, max: 1, example: 0.05 })
        .nullable()
        .default(null)
        .describe('Drop tokens below this fraction of the likeliest; null is off.'),
    ),
  ),
  quantisedRollout: recorded(
    'sampling',
    laterKey(
      'quantised_rollout',
      flag()
        .default(false)
        .describe(
          'Sample rollouts from a copy of the matrices in blocks of 8 bits (q8_0), made again after each step: off-policy, to ' +
            'be weighed (vllm_importance_sampling_correction). Scores, updates and evaluations are those of the weights. ' +
            'On backends wasm, webgpu and reference.',
        ),
    ),
  ),
};

const REWARD_KEYS = {
  rewardFunctions: key(
    'reward_funcs',
    z
      .union([text('accuracy'), z.array(rewardFunction).min(1, { error: 'empty; for example [accuracy]' })], {
        error: ({ input }) => `must be a name or a list of names; for example ${likeMapping(input)}`,
      })
      .default([{ name: 'accuracy' }])
      .transform((written) => (typeof written === 'string' ? [{ name: written, weight: undefined }] : written))
      .describe(
        'Reward functions: names, files of yours (./rewards/brief.ts), or {name, weight, …options}. ' +
          "Default [accuracy], the task's own verdict.",
      ),
  ),
  rewardWeights: key(
    'reward_weights',
    optional(
      z.array(number({ min: 0, example: 1 }), { error: 'must be a list of numbers; for example [1, 0.1]' }),
    ).describe('One weight per reward function; 0 only logs it. Default 1 each.'),
  ),
  rewardGate: recorded(
    'stage',
    key(
      'reward_gate',
      optional(
        z.record(z.string(), number({ example: 0 }), {
          error: 'must map reward functions to numbers; for example {format: 0}',
        }),
      ).describe(
        'Reward functions of reward_funcs that a completion must pass: where one gives it 0 or less, the sum of its ' +
          'rewards is this number instead. Default: none.',
      ),
    ),
  ),
  rewardOnError: recorded(
    'stage',
    laterKey(
      'reward_on_error',
      choice(['stop', 'exclude'])
        .default('stop')
        .describe(
          'Where a reward function throws, or gives no valid number: stop ends the run; exclude leaves the completion out ' +
            'of baseline and loss, and stops above 5 % of the completions of a step.',
        ),
    ),
  ),
};

const LEARNING_KEYS = {
  learningRate: key(
    'learning_rate',
    number({ above: 0, example: 3e-4 })
      .default(1e-6)
      .describe('Peak learning rate. Default {default}; a model trained from random weights wants about 3e-4.'),
  ),
};

/** Every key of a `grpo` stage that is not about a method (those: `method_keys.ts`). */
export const GRPO_KEYS = { ...SHARED_KEYS, ...LEARNING_KEYS, ...BATCH_KEYS, ...SAMPLING_KEYS, ...REWARD_KEYS };
