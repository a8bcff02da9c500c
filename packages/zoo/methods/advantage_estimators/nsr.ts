/**
 * Probability taken from mistakes goes to whatever else the policy finds likely, so answers stay diverse; pass@k for
 * large k profits most.
 */
import { type AdvantageEstimator, method } from '../kit.ts';
import { SOLVED_OPTIONS } from '../support/credit/solved.ts';
import { solvedOrNot } from '../support/credit/solved_or_not.ts';
import { unguarded } from '../support/credit/unguarded.ts';

export const nsr = method({
  id: 'nsr',
  about: {
    does: 'Learns from unsolved completions alone.',
    formula: 'A = 0 if solved, else −1',
    source: '2506.01347',
    certainty: 'paper',
  },
  against: ['entropy-collapse', 'pass-at-k-falls', 'sharpening'],
  options: SOLVED_OPTIONS,
  warn: (_, __, ___, members) => unguarded(members),
  sameAs: { id: 'w-reinforce', options: { solved_weight: 0 } },
  create: (options): AdvantageEstimator => solvedOrNot(0, options),
});
