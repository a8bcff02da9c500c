/**
 * What the verifier had said stays in the metrics of the reward, and held-out problems are judged without noise. `youden_j`
 * is the rate of true positives less that of false ones: only its sign decides whether such a verifier teaches or misleads
 * (arXiv:2601.04537).
 */
import { type GroupStep, keys, meanOf, method, number, text } from '../kit.ts';
import { changeConflict, mapRollouts, paysReward, targetOf } from '../support/rewards/reward_parts.ts';

const rate = (what: string) => number({ min: 0, max: 1, example: 0.1 }).default(0).describe(what);

export const noisyWrapper = method({
  id: 'noisy-wrapper',
  about: {
    does: 'Lets a verifier err at given rates.',
    formula: 'P(R = 1 | wrong) = false_positive, P(R = 0 | right) = false_negative',
    source: '2510.00915',
    certainty: 'paper',
    when: 'For experiments with a verifier that errs at known rates; never for training that is to be as good as it can.',
  },
  options: keys({
    reward: text('accuracy').default('accuracy').describe('Reward that errs.'),
    falsePositive: rate('Chance that a wrong completion is called right.'),
    falseNegative: rate('Chance that a right completion is called wrong.'),
  }),
  isRepeatable: true,
  conflict: changeConflict,
  pays: paysReward('changes', 'accuracy'),
  relabels: true,
  create: ({ reward, falsePositive, falseNegative }, stage): GroupStep => {
    const target = targetOf(stage, reward);
    return {
      scope: 'group',
      apply(groups, { rng, metric }) {
        const flips: { readonly wasRight: boolean; readonly isFlipped: boolean; readonly gap: number }[] = [];
        const noisy = mapRollouts(groups, (rollout) => {
          const value = target.read(rollout);
          if (value === null) return rollout;
          const wasRight = value === 1;
          const isFlipped = rng.float() < (wasRight ? falseNegative : falsePositive); // one draw for each
          const said = isFlipped ? Number(!wasRight) : value;
          flips.push({ wasRight, isFlipped, gap: said - value });
          return isFlipped ? target.write(rollout, said) : rollout;
        });
        const shareOf = (right: boolean): number =>
          meanOf(flips.filter(({ wasRight }) => wasRight === right).map(({ isFlipped }) => Number(isFlipped)));
        metric('proxy_gap', meanOf(flips.map(({ gap }) => gap)));
        metric('false_positives', shareOf(false));
        metric('false_negatives', shareOf(true));
        const kinds = new Set(flips.map(({ wasRight }) => wasRight));
        if (kinds.size === 2) metric('youden_j', 1 - shareOf(true) - shareOf(false));
        return noisy;
      },
    };
  },
});
