/** A plan is compared with plans, and a look back with looks back, however much more one kind is paid than another. */
import { POLICY_TURN } from '../../../../src/data/environment.ts';
import { counts, rewardsOf, spreadOut } from '../../../../src/methods/support/credit/baseline.ts';
import { turnsOf } from '../../../../src/methods/support/rollouts/turns.ts';
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import { type AdvantageEstimator, key, method, number, type RolloutGroup } from '../kit.ts';
import { standardScores } from '../support/credit/group_by_group.ts';
import { tagOf, tagsOption } from '../support/rollouts/turn_tags.ts';

export const tagAdvantage = method({
  id: 'tag-advantage',
  about: {
    does: 'Credits a turn with the outcome of its episode, and with what it was paid against turns of its own kind.',
    names: ['RLVMR'],
    formula:
      'A_{i,k} = alpha·z(R_i) + (1 − alpha)·z(r_{i,k} among the turns of the group of the same tag), z = (x − μ)/(σ + 1e-4)',
    source: '2507.22844',
    certainty: 'after the paper',
  },
  options: {
    outcomeShare: key('alpha', number({ min: 0, max: 1, example: 0.5 }).default(0.5).describe('Share of the outcome.')),
    advantageTags: tagsOption,
  },
  tells: ['turns', 'group-scale'],
  uses: () => [severalTurns],
  create: ({ outcomeShare, advantageTags }): AdvantageEstimator => {
    const estimateOne = (group: RolloutGroup) => {
      const { rollouts } = group;
      const outcomes = spreadOut(rollouts, standardScores(rewardsOf(group)));
      const scores = scoresByTag(group, advantageTags);
      const tokenAdvantages = rollouts.map((rollout, i) => {
        const values = new Float32Array(rollout.tokens.length);
        if (!counts(rollout)) return values;
        let begin = 0;
        let turn = 0;
        for (const { tokens, label } of turnsOf(rollout)) {
          const end = begin + tokens.length;
          if (label === POLICY_TURN)
            values.fill(outcomeShare * outcomes[i] + (1 - outcomeShare) * scores[i][turn++], begin, end);
          begin = end;
        }
        return values;
      });
      return { advantages: outcomes.map((value) => outcomeShare * value), tokenAdvantages };
    };
    return {
      estimate: (groups) => groups.map(estimateOne),
      isDead: (group) => estimateOne(group).tokenAdvantages.every((own) => own.every((value) => value === 0)),
    };
  },
});

/** [rollouts][turns of the policy] standard scores of what turns were paid, among those of the same tag. */
function scoresByTag({ rollouts }: RolloutGroup, tags: readonly string[]): number[][] {
  const own = rollouts.map((rollout) =>
    counts(rollout) ? turnsOf(rollout).filter(({ label }) => label === POLICY_TURN) : [],
  );
  const scores = own.map(({ length }) => new Array<number>(length).fill(0));
  const places = new Map<string, [rollout: number, turn: number][]>();
  own.forEach((turns, i) => {
    turns.forEach((turn, k) => {
      const tag = tagOf(turn, tags);
      places.set(tag, [...(places.get(tag) ?? []), [i, k]]);
    });
  });
  for (const ofTag of places.values()) {
    const scored = standardScores(ofTag.map(([i, k]) => own[i][k].reward ?? 0));
    ofTag.forEach(([i, k], at) => {
      scores[i][k] = scored[at];
    });
  }
  return scores;
}
