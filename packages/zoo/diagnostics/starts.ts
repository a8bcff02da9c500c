/** What can be said before the first step: by the settings of a stage, and what it begins with. The others need a history. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { counted, percent } from '../../../src/format.ts';
import type { StageConfig } from '../../../src/methods/stage.ts';
import { figure, setting } from './words.ts';

/** Share of the stage; beyond it, only a minority of the steps has the peak rate. */
const LONG = 0.5;

const longWarmUp: Diagnostic<StageConfig> = {
  code: 'long-warm-up',
  level: 'note',
  after: 'start',
  reads: [],
  look(_history, { optimizer: { warmupSteps, maxSteps, learningRate } }) {
    if (warmupSteps <= Math.max(1, LONG * maxSteps)) return undefined; // a warm-up of one step is none
    const reached = warmupSteps >= maxSteps ? 'only in the last step' : `from step ${warmupSteps} on`;
    return {
      seen: `${warmupSteps} of the ${maxSteps} steps of this stage are warm-up: the learning rate reaches ${setting(learningRate)} ${reached}`,
      why: 'Most of the stage learns more slowly than its learning_rate says',
      remedy: `Set warmup_steps to ${Math.ceil(0.05 * maxSteps)}, or raise max_steps`,
    };
  },
};

/** A step of Adam moves a weight by up to the rate, and weights are 0.02 to 0.05 in size at first. A supervised stage of 70
 *  steps on sort_digits came to a loss of 0.12 at 2e-3, 0.15 at 1e-2, 0.18 at 2e-2 and 0.48 at 6e-2. */
const LARGE_RATE = 3e-2;
/** What small models take. */
const USUAL_RATE = { sft: 2e-3, grpo: 3e-4 } as const;

const largeRate: Diagnostic<StageConfig> = {
  code: 'large-rate',
  isCause: true,
  level: 'warning',
  after: 'start',
  reads: ['learningRate'],
  look(_history, { stage, optimizer: { learningRate } }) {
    if (learningRate < LARGE_RATE) return undefined;
    return {
      seen: `learning_rate is ${figure(learningRate)}, and weights are 0.02 to 0.05 in size at first`,
      why: 'A step of Adam moves every weight by about the rate, whatever the gradient: each step undoes much of what was there',
      remedy: `Set learning_rate to ${setting(USUAL_RATE[stage])} (now ${setting(learningRate)})`,
    };
  },
};

/** Below it a stage of a few hundred steps leaves random weights about where they are. */
const SMALL_RATE = { sft: 1e-4, grpo: 1e-5 } as const;

const smallRate: Diagnostic<StageConfig> = {
  code: 'small-rate',
  isCause: true,
  level: 'warning',
  after: 'start',
  reads: ['learningRate', 'start'],
  look({ start }, { stage, optimizer: { learningRate, maxSteps } }) {
    if (start?.isPretrained !== false || learningRate >= SMALL_RATE[stage]) return undefined;
    return {
      seen: `learning_rate is ${setting(learningRate)}, and the weights did not begin as those of a pretrained model: they are 0.02 to 0.05 in size, and ${counted(maxSteps, 'step')} of Adam move each by ${setting(learningRate * maxSteps)} at most`,
      why: 'Such a rate, the default of TRL, is for large pretrained models: this policy stays as it is',
      remedy: `Set learning_rate to ${setting(USUAL_RATE[stage])} (now ${setting(learningRate)})`,
    };
  },
};

/** Share of the problems from which on a limit is a fault, not an odd long answer. */
const MANY_CUT = 0.05;

const shortLimit: Diagnostic<StageConfig> = {
  code: 'short-limit',
  isCause: true,
  level: 'warning',
  after: 'start',
  reads: ['start'],
  look({ start }) {
    const { limit, cut, longest } = start?.answers ?? { limit: 0, cut: 0, longest: 0 };
    if (cut < MANY_CUT) return undefined;
    return {
      seen: `max_completion_length is ${counted(limit, 'token')}, and the right answers to ${percent(cut)} of the problems take more, with the token that ends them: up to ${longest}`,
      why: 'What is cut is not right, so these problems cannot be solved',
      remedy: `Set max_completion_length to ${longest} or more (now ${limit}), or leave it out`,
    };
  },
};

export const START_DIAGNOSTICS: readonly Diagnostic<StageConfig>[] = [longWarmUp, largeRate, smallRate, shortLimit];
