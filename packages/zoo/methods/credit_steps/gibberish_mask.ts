/**
 * Completions that fall apart: a token that the policy finds far less likely than if it chose blindly, and that the
 * vocabulary ranks as rare. In vocabularies of byte-pair merges the later ids are the rarer ones; elsewhere any id counts.
 * Rewards of such completions stay in the baseline. As prime-rl's filter of this name.
 */
import { withoutLoss } from '../../../../src/methods/support/credit/without_loss.ts';
import { type CreditStep, carriesLoss, integer, keys, method, number } from '../kit.ts';

export const gibberishMask = method({
  id: 'gibberish-mask',
  about: {
    does: 'Leaves completions out of the loss that hold a rare token which the policy found very unlikely.',
    names: ['gibberish filter'],
    formula: 'm_i = 0 where a token has an id above rare_above and log π_old < −ln V − gibberish_offset',
    source: '2510.02387',
    certainty: 'after the paper',
    when: 'For pretrained models at high temperature, whose answers fall apart now and then; 100000 suits most vocabularies.',
  },
  options: keys({
    rareAbove: integer({ min: 0, max: 10_000_000, example: 100_000 })
      .default(0)
      .describe('Ids of tokens above it are rare ones; 0: all but the first.'),
    gibberishOffset: number({ min: 0, example: 2 })
      .default(2)
      .describe('Nats below the log-prob of a blind choice, from which a token is taken as gibberish.'),
  }),
  create: ({ rareAbove, gibberishOffset }): CreditStep => ({
    apply(groups, { vocabularySize, metric }) {
      const least = -Math.log(vocabularySize) - gibberishOffset;
      const all = groups.flatMap(({ rollouts }) => rollouts);
      const isGibberish = (rollout: (typeof all)[number]): boolean =>
        rollout.tokens.some((token, t) => token > rareAbove && rollout.logprobs[t] < least && carriesLoss(rollout, t));
      metric('masked', all.filter(isGibberish).length / Math.max(1, all.length));
      return withoutLoss(groups, isGibberish);
    },
  }),
});
