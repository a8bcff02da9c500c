/**
 * Gives up some of what reinforcement gained on its problems for some of what it lost elsewhere, pass@k above all. With
 * a share above 1 the weights move further in the direction that training took, which is nearly straight for a stretch
 * (arXiv:2601.04411). The
 * last evaluation is of the average; `--sweep kept_share=…` gives one for each share. A stage that ends early keeps its
 * weights.
 */
import { averagedWeights, parameterSet } from '../../../../src/methods/uses/parameter_sets.ts';
import { type Controller, keys, method, number } from '../kit.ts';

export const checkpointAverage = method({
  id: 'checkpoint-average',
  about: {
    does: 'Averages the weights at the end of the stage with those that reinforcement began with, or goes beyond them.',
    names: ['model averaging', 'weight interpolation', 'weight extrapolation', 'WiSE-FT'],
    formula: 'θ ← (1 − kept_share)·θ_first + kept_share·θ, after the last step of the stage',
    source: '2508.03613',
    certainty: 'after the paper',
  },
  options: keys({
    keptShare: number({ min: 0, max: 4, example: 0.6 })
      .default(0.6)
      .describe('Share of the trained weights; 1 leaves them as they are, above 1 extrapolates.'),
  }),
  uses: ({ keptShare }) => [
    parameterSet('first'),
    ...(keptShare === 1 ? [] : [averagedWeights('train without use_peft, or leave it out')]),
  ],
  create: ({ keptShare }, { optimizer: { maxSteps } }): Controller => ({
    async afterStep(_, levers) {
      if (levers.step !== maxSteps || keptShare === 1) return;
      levers.metric('moved', await levers.mixIntoPolicy('first', 1 - keptShare));
    },
  }),
});
