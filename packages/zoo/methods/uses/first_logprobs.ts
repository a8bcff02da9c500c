/** [tokens] log-probs under the policy that the run began with; those of the sampler where a token was put in. */
import { parameterSet } from '../../../../src/methods/uses/parameter_sets.ts';
import { figure } from './figure.ts';

/** [tokens] log-probs of sampled tokens under the policy at the start of the run's first grpo stage. */
export const firstLogprobs = figure<Float32Array>({
  id: 'firstLogprobs',
  says: 'a scoring pass of what was sampled, before it is credited: log-probs under the policy that the run began with',
  implies: [parameterSet('first')],
  compute: async (_, { trained }) => (await trained({ set: 'first' })).map(({ logprobs }) => logprobs),
});
