import { type Aggregation, method } from '../kit.ts';

/** SkyRL's `prompt_mean`. */
export const promptMean = method({
  id: 'prompt-mean',
  about: {
    does: 'Each prompt counts the same, however long its completions are, and each token of a prompt the same.',
    formula: 'c = 1/(P·N_group)',
    source: 'own',
    certainty: 'own',
  },
  create:
    (): Aggregation =>
    (_, __, { groups, groupTokens }) =>
      1 / (groups * groupTokens),
});
