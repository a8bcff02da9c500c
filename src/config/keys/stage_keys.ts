/**
 * The keys that every training stage has, and those of the supervised one, in TRL's spelling and with TRL's
 * defaults; where a default differs, its description says why.
 *
 * TRL's learning rates (1e-6 for GRPO, 2e-5 for SFT) are kept, although they are made for pretrained models: one
 * trained here from random weights wants about 3e-4 and 2e-3, and the shipped configs say so.
 */
import { z } from 'zod';
import { key, laterKey } from '../../options/keys.ts';
import type { OptionSchema } from '../../options/option_schema.ts';
import { choice, flag, integer, number, optional, plugin } from '../../options/schemas.ts';
import { recorded } from '../recorded_keys.ts';
import { DATASET_KEYS } from './dataset_keys.ts';
import { MOST_COMPLETIONS } from './limits.ts';

const SCHEDULES = ['linear', 'cosine', 'cosine_with_min_lr', 'constant', 'constant_with_warmup'] as const;

const endless = 'must be 1 or more, as the training stream is endless and has no epochs; for example 300';

export const MOST_STEPS = 1_000_000_000;

/** Optimizer steps between evaluations; 0 is how they are often switched off. */
export function evaluationInterval(example: number): OptionSchema<number> {
  const rule = `must be 1 or more; for none between the start and the end write eval_strategy: no`;
  return integer({ min: 1, max: MOST_STEPS, example, rule });
}

/** Keys that mean the same in every stage. */
export const SHARED_KEYS = {
  maxSteps: key(
    'max_steps',
    integer({ min: 1, max: MOST_STEPS, example: 300, rule: endless })
      .optional()
      .describe('Length of the stage, in optimizer steps. No default: the training stream is endless.'),
  ),
  epochs: key(
    'num_train_epochs',
    optional(number({ above: 0, example: 3 })).describe(
      'Length of the stage in passes over the rows of its data set, where max_steps is not given. Default: none (TRL: 3).',
    ),
  ),
  learningRateSchedule: key(
    'lr_scheduler_type',
    choice(SCHEDULES, 'not a schedule of this trainer')
      .default('linear')
      .describe('How the learning rate moves after the warm-up. Default {default} (to 0).'),
  ),
  scheduleOptions: key(
    'lr_scheduler_kwargs',
    optional(
      z.strictObject(
        { min_lr_rate: number({ min: 0, max: 1, example: 0.1 }).optional() },
        { error: 'must be a mapping whose only key is min_lr_rate; for example {min_lr_rate: 0.1}' },
      ),
    ).describe(
      'min_lr_rate: last learning rate as a fraction of the first, 0 to 1. Default 0. Beyond TRL, linear takes it too.',
    ),
  ),
  warmupSteps: key(
    'warmup_steps',
    number({ min: 0, example: 10 })
      .default(0)
      .describe('Warm-up from 0, in optimizer steps; below 1, as a fraction of max_steps.'),
  ),
  warmupRatio: key(
    'warmup_ratio',
    optional(number({ min: 0, below: 1, example: 0.03 })).describe(
      'The same fraction under its other name, where warmup_steps is not given. Default: none.',
    ),
  ),
  optim: laterKey(
    'optim',
    choice(['adamw', 'muon', 'adamw_torch', 'adamw_torch_fused'], 'not an optimizer of this trainer')
      .default('adamw')
      .describe(
        'The optimizer; the last two names are adamw too. Default {default}. muon steps each matrix of the layers by its ' +
          'momentum with all singular values near 1, and the rest by AdamW. From random weights it tends to need fewer ' +
          'steps. A stage with another optimizer than the one before begins with zero moments.',
      ),
  ),
  muonMomentum: laterKey(
    'muon_momentum',
    optional(number({ min: 0, below: 1, example: 0.95 })).describe(
      'Decay of the momentum of the matrices that Muon steps. Default: 0.95 with optim: muon.',
    ),
  ),
  weightDecay: key(
    'weight_decay',
    number({ min: 0, example: 0.01 }).default(0).describe('Decoupled weight decay, times the learning rate, per step.'),
  ),
  beta1: key(
    'adam_beta1',
    number({ min: 0, below: 1, example: 0.9 }).default(0.9).describe('Decay of the first moment.'),
  ),
  beta2: key(
    'adam_beta2',
    number({ min: 0, below: 1, example: 0.95 }).default(0.999).describe('Decay of the second moment.'),
  ),
  adamEps: key(
    'adam_epsilon',
    number({ above: 0, example: 1e-8 }).default(1e-8).describe('Added to the root of the second moment.'),
  ),
  maxGradNorm: key(
    'max_grad_norm',
    number({ min: 0, example: 1 }).default(1).describe('Gradients are clipped to this L2 norm; 0 turns it off.'),
  ),
  resetOptimizer: recorded(
    'stage',
    laterKey(
      'reset_optimizer',
      flag()
        .default(false)
        .describe(
          'Begin the stage with zero moments of the optimizer, as a new trainer does. Default {default}: those of the stage before ' +
            'carry over, though bias correction begins again, so the first steps still follow that stage.',
        ),
    ),
  ),
  evalStrategy: key(
    'eval_strategy',
    choice(['steps', 'no'])
      .default('steps')
      .describe('Evaluate on held-out problems every eval_steps, or not between steps. Default {default} (TRL: no).'),
  ),
  problems: recorded(
    'evaluation',
    key(
      'eval_samples',
      optional(integer({ min: 1, max: MOST_COMPLETIONS, example: 64 })).describe(
        'Held-out problems that an evaluation during training asks, the same at each, spread evenly. Default: all of them.',
      ),
    ),
  ),
  evalTemperature: recorded(
    'evaluation',
    key(
      'eval_temperature',
      optional(number({ above: 0, example: 0.6 })).describe(
        "Temperature at which an evaluation samples, for eval_mean@K and eval_pass@k. Default: the stage's own (1 in an sft stage).",
      ),
    ),
  ),
  taskWeights: recorded(
    'stage',
    key(
      'task_weights',
      optional(
        z.record(z.string(), number({ min: 0, example: 1 }), {
          error: 'must map tasks to numbers; for example {countdown: 1, sort_digits: 0.5}',
        }),
      ).describe(
        'How often the stage draws problems of each task of the run, by its name, numbered (`countdown#2`) where it is there ' +
          'several times, as with other levels; 0 of those that are not named. Default: the weights under `tasks`.',
      ),
    ),
  ),
};

/** The methods that say what a supervised stage shows of problems that are played in turns. */
export const DEMONSTRATIONS_KEY = {
  yaml: 'demonstrations',
  text: 'What a supervised stage shows in the place of demonstrations of the task: teacher-samples, or methods of problems that are played in turns.',
};

/** Every key of an `sft` stage: the supervised warm start. */
export const SFT_KEYS = {
  ...SHARED_KEYS,
  ...DATASET_KEYS,
  learningRate: key(
    'learning_rate',
    number({ above: 0, example: 2e-3 })
      .default(2e-5)
      .describe(
        "Peak learning rate. Default {default}, that of TRL's SFT; a model from random weights wants about 2e-3.",
      ),
  ),
  evalSteps: key(
    'eval_steps',
    evaluationInterval(500)
      .default(500)
      .describe(
        'Optimizer steps from one evaluation to the next. Default {default}: supervised steps are many and cheap.',
      ),
  ),
  sequencesPerStep: key(
    'per_device_train_batch_size',
    integer({ min: 1, max: MOST_COMPLETIONS, example: 64 }).default(8).describe('Demonstrations in an optimizer step.'),
  ),
  demonstrations: recorded(
    'stage',
    key(
      DEMONSTRATIONS_KEY.yaml,
      optional(plugin('./demonstrations/mine.ts')).describe(
        `${DEMONSTRATIONS_KEY.text} A name, or {name, …options}. Default: none.`,
      ),
    ),
  ),
  formShare: recorded(
    'stage',
    key(
      'form_share',
      optional(number({ min: 0, max: 1, example: 0.25 })).describe(
        'Share of the demonstrations that are in the forms in which methods of later stages speak to the policy. Default ' +
          '0.25; without such a method there are none.',
      ),
    ),
  ),
  learnErrors: recorded(
    'stage',
    key(
      'learn_errors',
      optional(flag()).describe(
        'Of a task that is played in turns: whether actions of the teacher that an expert would not take are learned too. ' +
          'Default true; false shows what they lead to, and only what an expert does has a loss.',
      ),
    ),
  ),
};
