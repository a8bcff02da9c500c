/**
 * A group that fails altogether teaches what not to do. On a small model a guard of the entropy, or a KL term, keeps it
 * from flattening the policy.
 */
import { type AdvantageEstimator, keys, method, number } from '../kit.ts';
import { largestOf } from '../support/credit/group_size.ts';
import { SOLVED_OPTIONS } from '../support/credit/solved.ts';
import { solvedOrNot } from '../support/credit/solved_or_not.ts';
import { unguarded } from '../support/credit/unguarded.ts';

export const wReinforce = method({
  id: 'w-reinforce',
  about: {
    does: 'Pays a solved problem a little, and takes 1 for an unsolved one; compares nothing.',
    formula: 'A = solved_weight if solved, else −1',
    source: '2506.01347',
    certainty: 'paper',
  },
  against: ['entropy-collapse', 'pass-at-k-falls', 'sharpening'],
  options: keys({
    solvedWeight: number({ min: 0, example: 0.1 }).default(0.1).describe('Advantage of a completion that is solved.'),
    ...SOLVED_OPTIONS,
  }),
  warn: ({ solved_weight: weight }, _, __, members) => (largestOf(weight) < 1 ? unguarded(members) : undefined),
  create: ({ solvedWeight, ...options }): AdvantageEstimator => solvedOrNot(solvedWeight, options),
});
