import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { type Controller, integer, keys, method, number, optionOf } from '../kit.ts';
import { klOf } from '../support/loss/kl_of.ts';

/** Largest error that one step may act on, to either side. */
const MOST_ERROR = 0.2;

/** beta moves by at most a fifth of the completions' share in the horizon. */
export const adaptiveBeta = method({
  id: 'adaptive-beta',
  about: {
    does: 'Moves beta so that the KL stays at a target.',
    formula: 'beta ← beta·(1 + clip(KL/kl_target − 1, ±0.2)·completions/kl_horizon)',
    source: '1909.08593',
    certainty: 'after the paper',
  },
  against: ['kl-jump'],
  options: keys({
    klTarget: number({ above: 0, example: 0.05 }).default(0.05).describe('KL per token to hold, in nats.'),
    klHorizon: integer({ min: 1, example: 10000 })
      .default(10000)
      .describe('Completions over which an error is made up for.'),
  }),
  warn: (_, methods) =>
    optionOf(methods, 'beta') === undefined
      ? 'without effect, since there is no beta to move; give the stage one, such as beta: 0.04'
      : undefined,
  uses: () => [reference],
  create: ({ klTarget, klHorizon }): Controller => ({
    async afterStep(metrics, levers) {
      if (optionOf(levers.stage.methods, 'beta') === undefined) return;
      const error = (await klOf(metrics, levers)) / klTarget - 1;
      const clipped = Math.min(MOST_ERROR, Math.max(-MOST_ERROR, error));
      const beta = levers.get('beta');
      levers.metric('beta', beta);
      levers.set('beta', beta * (1 + (clipped * levers.stage.batch.completionsPerStep) / klHorizon));
    },
  }),
});
