/** The score is the one that `laser` trains. */
import { type CreditStep, counts, deviationOf, keys, method, number, type Rollout, usesMethod } from '../kit.ts';
import { scoresAmong } from '../support/credit/certainty.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';
import { SELF_SCORE_AGREES, SELF_SCORE_OPTIONS, selfScore, selfScoreUses } from '../support/rollouts/self_score.ts';
import { selfLogprob } from '../uses/self_logprob.ts';

export const selfScoreMix = method({
  id: 'self-score-mix',
  about: {
    does: 'Mixes into the advantage how right the policy finds its own completions.',
    names: ['LaSeR'],
    formula: 'A ← (1 − τ)·A + τ·z(clip(v, 0, 1)), z within the group, unless std v < least_score_spread',
    source: '2510.14943',
    certainty: 'paper',
    when: 'Beside laser, once its scores follow the verdicts; before, it mixes noise into the advantage.',
  },
  options: keys({
    selfScoreShare: number({ min: 0, max: 1, example: 0.1 }).default(0.1).describe('τ: share of the score.'),
    leastScoreSpread: number({ min: 0, example: 0.1 })
      .default(0.1)
      .describe('Deviation of the scores of a group below which its advantages stay as they are.'),
    ...SELF_SCORE_OPTIONS,
  }),
  uses: ({ selfScoreShare, ...options }) => (selfScoreShare === 0 ? [] : [...selfScoreUses(options), selfLogprob]),
  agrees: SELF_SCORE_AGREES,
  warn: (_, methods) =>
    usesMethod(methods, 'laser') ? undefined : 'nothing trains the score that it learns from; add laser to loss_terms',
  create: ({ selfScoreShare, leastScoreSpread, ...options }): CreditStep => ({
    apply(groups, { vocabularySize, metric }) {
      if (selfScoreShare === 0) return groups;
      const score = selfScore(options, vocabularySize);
      const clipped = (rollout: Rollout): number | undefined => {
        const logprob = selfLogprob.of(rollout);
        return logprob === undefined ? undefined : Math.min(1, Math.max(0, score.at(logprob)));
      };
      const mixed = new Map<Rollout, number>();
      let groupsMixed = 0;
      for (const { rollouts, dead } of groups) {
        if (dead) continue;
        const own = rollouts.map((rollout) => (counts(rollout) ? clipped(rollout) : undefined));
        const known = own.filter((value) => value !== undefined);
        if (known.length < 2 || deviationOf(known) < leastScoreSpread) continue;
        groupsMixed++;
        scoresAmong(own).forEach((z, i) => {
          if (own[i] !== undefined) mixed.set(rollouts[i], z);
        });
      }
      metric('groups', groupsMixed / Math.max(1, groups.filter(({ dead }) => !dead).length));
      return mapAdvantages(groups, (advantage, rollout) => {
        const z = mixed.get(rollout);
        return z === undefined ? advantage : (1 - selfScoreShare) * advantage + selfScoreShare * z;
      });
    },
  }),
});
