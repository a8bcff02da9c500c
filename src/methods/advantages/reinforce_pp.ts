/**
 * REINFORCE++: the reward of a completion, at each of its tokens, made standard over all tokens of the batch, so that long
 * completions weigh in the mean and the deviation by their length. `baseline` first takes the mean of its group from each
 * reward; a group of equal rewards then tells nothing, and gets exactly 0. Without discount the outcome's return is the same
 * at each token. The paper's reward also has −β·k1 per token; here that is a part of its own, behind this one: the credit
 * step or term that puts the KL into rewards. arXiv:2501.03262.
 */
import { choice, key } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { AdvantageEstimator } from '../points.ts';
import type { RolloutGroup } from '../records.ts';
import { meanOf } from '../statistics.ts';
import { lossTokens } from '../tokens.ts';
import { areEqual, counts, hasEqualRewards, hasNoReward, rewardsOf, spreadOut } from './baseline.ts';

/** Least variance, as in verl. */
const VARIANCE_FLOOR = 1e-8;

export const reinforcePp = method({
  id: 'reinforce-pp',
  about: {
    does: 'Standardizes rewards over all tokens of the batch.',
    formula: 'A = (x − mean_tokens x)/√(var_tokens x + 1e-8), x = R, or R − μ of its group',
    source: '2501.03262',
    certainty: 'paper',
  },
  options: {
    centeredIn: key(
      'variant',
      choice(['plain', 'baseline'], 'not a variant')
        .default('plain')
        .describe('Whether a reward is taken as it is (plain), or without the mean of its group (baseline).'),
    ),
  },
  create: ({ centeredIn }): AdvantageEstimator => ({
    estimate: (groups) => whitened(groups, centeredIn === 'baseline'),
    isDead: centeredIn === 'baseline' ? hasEqualRewards : hasNoReward,
  }),
});

function whitened(groups: readonly RolloutGroup[], isCentred: boolean) {
  const values = groups.map((group) => {
    const rewards = rewardsOf(group);
    const center = isCentred ? meanOf(rewards) : 0;
    return rewards.map((reward) => (isCentred && areEqual(rewards) ? 0 : reward - center));
  });
  const all = values.flat();
  const lengths = groups.flatMap(({ rollouts }) => rollouts.filter(counts).map(lossTokens));
  const { center, deviation } = momentsOf(all, lengths);
  return groups.map(({ rollouts }, g) => {
    const isDead = isCentred && hasEqualRewards({ rollouts });
    const own = values[g].map((value) => (isDead || areEqual(all) ? 0 : (value - center) / deviation));
    return { advantages: spreadOut(rollouts, own) };
  });
}

/** Of a value per token; the variance with n − 1. */
function momentsOf(values: readonly number[], lengths: readonly number[]) {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const center = values.reduce((sum, value, i) => sum + lengths[i] * value, 0) / Math.max(1, tokens);
  const squares = values.reduce((sum, value, i) => sum + lengths[i] * (value - center) ** 2, 0);
  return { center, deviation: Math.sqrt(squares / Math.max(1, tokens - 1) + VARIANCE_FLOOR) };
}
