import { type Aggregation, method } from '../kit.ts';

/** verl's `token-sum`. Adam divides the growth of the gradient out, a clip of the gradient does not. */
export const tokenSum = method({
  id: 'token-sum',
  about: {
    does: 'Adds up all tokens, so that the gradient grows with the batch.',
    formula: 'c = 1',
    source: 'own',
    certainty: 'own',
    when: 'To follow a recipe that was tuned with it; else token-mean, since the gradient grows with the batch.',
  },
  create: (): Aggregation => () => 1,
});
