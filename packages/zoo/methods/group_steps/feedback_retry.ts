/** What was wrong is said between two turns and has no loss; the group spans whole conversations. */

import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import { type GroupStep, isRight, keys, meanOf, method, number } from '../kit.ts';
import { ownTurns } from '../support/rewards/paid_turns.ts';
import { changeConflict, changedReward, mapRollouts, paysReward, targetOf } from '../support/rewards/reward_parts.ts';

export const feedbackRetry = method({
  id: 'feedback-retry',
  about: {
    does: 'Pays a problem less the more turns it took to solve it.',
    names: ['interactive in-context learning', 'self-correction', 'retry with feedback'],
    formula: 'R ← retry_discount^(k − 1)·R of an episode that is won in turn k of the policy',
    source: 'own',
    certainty: 'after the paper',
  },
  options: keys({
    retryDiscount: number({ above: 0, max: 1, example: 0.8 })
      .default(0.9)
      .describe('Factor on the reward of a won episode, for each turn before the last.'),
    retriedReward: changedReward,
  }),
  conflict: changeConflict,
  uses: () => [severalTurns],
  pays: paysReward('changes'),
  readsVerdicts: true,
  create: ({ retryDiscount, retriedReward }, stage): GroupStep => {
    const target = targetOf(stage, retriedReward);
    return {
      scope: 'group',
      apply: (groups, { metric }) => {
        const [atOnce, later]: [number[], number[]] = [[], []];
        const paid = mapRollouts(groups, (rollout) => {
          if (rollout.turns === undefined) return rollout;
          const { length } = ownTurns(rollout);
          const isWon = isRight(rollout);
          atOnce.push(Number(isWon && length === 1));
          if (length > 1) later.push(Number(isWon));
          const value = target.read(rollout);
          return value === null || !isWon ? rollout : target.write(rollout, retryDiscount ** (length - 1) * value);
        });
        if (atOnce.length > 0) metric('at_once', meanOf(atOnce));
        if (later.length > 0) metric('after_feedback', meanOf(later));
        return paid;
      },
    };
  },
});
