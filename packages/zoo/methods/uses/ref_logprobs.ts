/** [tokens] log-probs under the reference; those of the sampler where a token was put in, so that the two do not differ. */
import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { figure } from './figure.ts';

/** [tokens] log-probs of sampled tokens under the reference. */
export const refLogprobs = figure<Float32Array>({
  id: 'refLogprobs',
  says: 'a scoring pass of what was sampled, before it is credited: log-probs under the reference',
  implies: [reference],
  compute: async (_, { trained }) => (await trained({ set: 'reference' })).map(({ logprobs }) => logprobs),
});
