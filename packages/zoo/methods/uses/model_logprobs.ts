/** [tokens] log-probs of sampled tokens under the run's teacher; those of the sampler where a token was put in. */
import { teacher } from '../../../../src/methods/uses/models.ts';
import { figure } from './figure.ts';

/** [tokens] log-probs of sampled tokens under `models.teacher`. */
export const modelLogprobs = figure<Float32Array>({
  id: 'modelLogprobs',
  says: 'a scoring pass of what was sampled, before it is credited: log-probs under the teacher',
  implies: [teacher],
  compute: async (_, { trained }) => (await trained({ model: 'teacher' })).map(({ logprobs }) => logprobs),
});
