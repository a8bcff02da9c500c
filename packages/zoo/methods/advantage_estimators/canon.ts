/**
 * CANON: splits a group in halves by a measure of each completion, its mean entropy or its length, and compares a
 * reward with the other half (inter), with its own (intra), or with both. At half and half it is the plain group mean.
 * Undivided; the paper's division by the longest length is that of the aggregation const-norm. Completions of one
 * measure at the border belong to both halves by shares, so that no order decides; so does the middle one where a
 * missing reward leaves an odd number.
 */
import type { AdvantageEstimator, Rollout } from '../kit.ts';
import { areEqual, choice, groupByGroup, keys, lossTokens, meanOf, method, number, sampledEntropies } from '../kit.ts';

export const canon = method({
  id: 'canon',
  about: {
    does: 'Compares completions across the halves of their group: sure and unsure, or short and long.',
    formula: 'A = λ·(R − mean of the other half) + (1 − λ)·(R − mean of its own half)',
    source: '2509.23962',
    certainty: 'paper',
  },
  companions: [
    {
      ids: ['const-norm'],
      line: 'aggregation: const-norm',
      why: 'which divides by the greatest length as the paper does',
    },
  ],
  options: keys({
    splitBy: choice(['entropy', 'length'], 'not a measure')
      .default('entropy')
      .describe('Measure that splits a group: mean entropy of the tokens, or their number.'),
    otherHalf: number({ min: 0, max: 1, example: 0.7 })
      .default(1)
      .describe(
        'λ: weight of the other half; 1 compares across alone, 0.5 is the group mean. Default {default}, which is ours.',
      ),
    upperFactor: number({ min: 0, example: 0.5 })
      .default(1)
      .describe('Factor on the advantages of the half with the larger measure.'),
  }),
  conflict: (_, __, { batch: { numGenerations } }) =>
    numGenerations % 2 === 1
      ? `splits groups in halves, and they are of ${numGenerations}; use an even num_generations`
      : undefined,
  create: ({ splitBy, otherHalf, upperFactor }): AdvantageEstimator =>
    groupByGroup((rewards, rollouts) => {
      if (areEqual(rewards)) return rewards.map(() => 0);
      const upper = upperShares(rollouts.map(splitBy === 'length' ? lossTokens : meanEntropy));
      const half = rewards.length / 2;
      const ofUpper = rewards.reduce((sum, reward, i) => sum + upper[i] * reward, 0) / half;
      const ofLower = rewards.reduce((sum, reward, i) => sum + (1 - upper[i]) * reward, 0) / half;
      return rewards.map((reward, i) => {
        const asUpper = reward - otherHalf * ofLower - (1 - otherHalf) * ofUpper;
        const asLower = reward - otherHalf * ofUpper - (1 - otherHalf) * ofLower;
        return upperFactor * upper[i] * asUpper + (1 - upper[i]) * asLower;
      });
    }),
});

/** How far each belongs to the upper half: 1 or 0, but for those whose measure is that at the border. */
function upperShares(measures: readonly number[]): number[] {
  const descending = [...measures].sort((a, b) => b - a);
  const half = measures.length / 2;
  const border = descending[Math.ceil(half) - 1];
  const above = measures.filter((measure) => measure > border).length;
  const at = measures.filter((measure) => measure === border).length;
  return measures.map((measure) => (measure > border ? 1 : measure < border ? 0 : (half - above) / at));
}

function meanEntropy(rollout: Rollout): number {
  return meanOf([...sampledEntropies(rollout)]);
}
