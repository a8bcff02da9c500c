import { parameterSet } from '../../../../src/methods/uses/parameter_sets.ts';
import { type Controller, integer, keys, method } from '../kit.ts';

/** However often the reference has moved since, the KL is to the weights at the start of the run's first grpo stage. */
export const firstKl = method({
  id: 'first-kl',
  about: {
    does: 'Logs the KL to the policy that the run began with.',
    formula: 'kl_to_ref0 = mean_t (e^x − x − 1), x = ref0 − logprob of the policy that sampled',
    source: '2505.24864',
    certainty: 'after the paper',
    when: 'To see how far a run with a moving reference has gone in all; with a fixed reference kl says the same.',
  },
  options: keys({
    measuredEvery: integer({ min: 1, example: 10 }).default(1).describe('Steps from one measurement to the next.'),
  }),
  uses: () => [parameterSet('first')],
  onlyMeasures: true,
  create: ({ measuredEvery }): Controller => ({
    async afterStep(_, levers) {
      if (levers.step % measuredEvery === 0) levers.metric('kl_to_ref0', await levers.kl('first'));
    },
  }),
});
