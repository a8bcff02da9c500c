/**
 * A temperature that cools within each completion: the first tokens, which decide where it goes, are explored, and the
 * later ones are kept close to what the policy is sure of. What a template asks for comes before that, at the
 * temperature as it is. τ_t multiplies the temperature that a completion is sampled at. Its tokens keep the log-probs
 * that they were sampled with, so that it is off-policy and its ratio is not 1; the paper takes the ratio to the policy
 * and weighs by a truncated correction, which is `decoupled` with `above_cap: truncate`. Held-out problems are sampled
 * as ever.
 */
import { integer, keys, method, number, type TokenControl, usesMethod } from '../kit.ts';

/** Slowest cooling, in tokens: the paper's. */
const SLOWEST = 40_000;

export const annealInSequence = method({
  id: 'anneal-in-sequence',
  about: {
    does: 'Samples the first tokens of a completion hot, and the later ones cool.',
    names: ['EAD', 'exploratory annealed decoding'],
    formula:
      'τ_t = max(1 + hottest − exp(t/d), coolest) for t ≥ cool_from, else 1; d = min(cool_over + cool_growth·step, 40000)',
    source: '2510.05251',
    certainty: 'paper',
    when: 'Where the first tokens decide how a problem is solved; scale its lengths down where completions are short.',
  },
  options: keys({
    hottest: number({ min: 1, max: 10, example: 1.2 }).default(1.2).describe('Factor on the temperature that cools.'),
    coolest: number({ above: 0, max: 1, example: 0.1 }).default(0.1).describe('Least factor on the temperature.'),
    coolFrom: integer({ min: 0, example: 2 })
      .default(10)
      .describe('Tokens of a completion that are sampled at the temperature as it is.'),
    coolOver: number({ above: 0, example: 8 })
      .default(25)
      .describe('d of the first step, in tokens: three quarters of it take the factor from hottest 1.2 to nearly 0.'),
    coolGrowth: number({ min: 0, example: 5 }).default(5).describe('By how much d grows at each step.'),
  }),
  note: (_, methods) =>
    usesMethod(methods, 'decoupled')
      ? undefined
      : 'the ratio of what it heats or cools is to the heated policy, and is clipped as any other; for the weights of the ' +
        'paper add {name: decoupled, above_cap: truncate, behaviour_cap: 2} to token_weights',
  samplesOffPolicy: true,
  create: ({ hottest, coolest, coolFrom, coolOver, coolGrowth }): TokenControl => ({
    temperature(place, { step }) {
      if (place < coolFrom) return 1;
      const over = Math.min(coolOver + coolGrowth * step, SLOWEST);
      return Math.max(1 + hottest - Math.exp(place / over), coolest);
    },
  }),
});
