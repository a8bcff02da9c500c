/** The one diagnostic of what comes before the first step: the others need a history. */
import type { StageConfig } from '../methods/stage.ts';
import type { Diagnostic } from './diagnostic.ts';
import { setting } from './words.ts';

/** Share of the stage; beyond it, only a minority of the steps has the peak rate. */
const LONG = 0.5;

export const LONG_WARM_UP: Diagnostic<StageConfig> = {
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
