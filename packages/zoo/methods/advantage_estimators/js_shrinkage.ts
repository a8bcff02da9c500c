/**
 * The mean of the others is shrunk as far as means of so few completions are noise. λ and the mean that it shrinks to
 * come from the other problems alone, so no reward is in its own baseline, and the gradient stays unbiased. "Dispersion
 * of the true means" is read as what the means vary beyond their sampling variance. With fewer than two other problems λ
 * is 0. No group is dead.
 */
import { type AdvantageEstimator, deviationOf, hasNoReward, meanOf, method, rewardsOf, spreadOut } from '../kit.ts';

export const jsShrinkage = method({
  id: 'js-shrinkage',
  about: {
    does: 'Compares each completion with the others of its group, shrunk towards the mean of the other problems.',
    formula:
      'A_i = R_i − (1−λ)·mean_{j≠i} R_j − λ·mean_{k≠g} μ_k, λ = (n−1)/n·v/(v+s), v = mean σ_k²/m_k, s = max(0, Var μ_k − v)',
    source: '2511.03710',
    certainty: 'after the paper',
  },
  create: (): AdvantageEstimator => ({
    isDead: hasNoReward,
    estimate(groups) {
      const all = groups.map(rewardsOf);
      return groups.map(({ rollouts }, g) => {
        const others = all.filter((rewards, k) => k !== g && rewards.length > 0);
        return { advantages: spreadOut(rollouts, shrunk(all[g], others)) };
      });
    },
  }),
});

/** @param others  rewards of the other problems */
function shrunk(rewards: readonly number[], others: readonly (readonly number[])[]): number[] {
  const means = others.map(meanOf);
  const share = shrinkageOf(others, means);
  const towards = meanOf(means);
  const sum = rewards.reduce((total, reward) => total + reward, 0);
  return rewards.map((reward) => {
    const ofOthers = rewards.length < 2 ? reward : (sum - reward) / (rewards.length - 1);
    return reward - (share === 0 ? ofOthers : (1 - share) * ofOthers + share * towards);
  });
}

/** λ, in [0, 1). */
function shrinkageOf(others: readonly (readonly number[])[], means: readonly number[]): number {
  if (others.length < 2) return 0;
  const noise = meanOf(others.map((rewards) => deviationOf(rewards) ** 2 / rewards.length));
  const spread = Math.max(0, deviationOf(means) ** 2 - noise);
  return noise === 0 ? 0 : ((others.length / (others.length + 1)) * noise) / (noise + spread);
}
