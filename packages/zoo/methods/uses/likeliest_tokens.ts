/** The likeliest tokens at each place of a completion: `RolloutTools.likeliest`. */
import type { Use } from '../../../../src/methods/uses/use.ts';

export const likeliestTokens: Use = {
  id: 'likeliest-tokens',
  says: 'a scoring pass of whole distributions while completions are sampled: the likeliest tokens at each place',
  takesDistributions: true,
  scoresBeforeUpdate: true,
};
