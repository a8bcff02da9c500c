/**
 * A reward without a verifier that looks at the tokens of a reference which the reasoning decides. After Direct Reasoning
 * Optimization (R3, the reasoning reflection reward).
 *
 *   R_i = Σ_j w_j·[log π(y_j | q, c_i, y_<j) − log π(y_j | q, y_<j)] − β·| |answer_i| − |y| | / |y|,   w_j = σ_j / Σ σ
 *
 * σ_j is how much the log-prob of token j differs between the completions of a group: tokens that are as likely after every
 * reasoning say nothing of it. The reasoning is what precedes a mark, and its masked form is none at all. A completion
 * without the mark, or without room for the reference, is paid as the worst of its group, at most 0. Log-probs as a reward are
 * known to shorten the reasoning, so its length is logged. `least_deviation` leaves out prompts whose reference no reasoning
 * decides: their rewards are noise.
 */
import { groupRows, keys, laterKey, meanOf, method, number, type RolloutStrategy } from '../kit.ts';
import { changeConflict, changedReward, paysReward, targetOf } from '../support/rewards/reward_parts.ts';
import { endOfMark, MARK, referenceOf } from '../support/rollouts/marked.ts';
import { rightAnswers } from '../uses/answers.ts';

export const r3 = method({
  id: 'r3',
  about: {
    does: 'Rewards how much likelier the reasoning makes those tokens of a reference answer that depend on it; needs no verifier.',
    names: ['DRO', 'reasoning reflection reward'],
    formula: 'R = Σ_j w(σ_j)·[log π(y_j | q, c) − log π(y_j | q)] − β·|length difference|/length',
    source: '2506.13351',
    certainty: 'after the paper',
    when: 'Where there are references and no verifier, and answers are longer than a few tokens; a verifier is the better signal.',
  },
  options: keys({
    reflectedReward: changedReward,
    mark: MARK,
    lengthPenalty: number({ min: 0, example: 0.1 })
      .default(0)
      .describe('β: what an answer costs that is longer or shorter than the reference, by its length.'),
    leastDeviation: laterKey(
      'least_deviation',
      number({ min: 0, example: 0.1 })
        .default(0)
        .describe('Groups whose largest σ is smaller are left out: no reasoning decides a token.'),
    ),
  }),
  uses: () => [rightAnswers],
  conflict: changeConflict,
  pays: paysReward('replaces'),
  relabels: true,
  work: (_, { batch: { numGenerations } }, lengths) => ({ rows: groupRows(numGenerations + 1, lengths), scores: true }),
  create: ({ reflectedReward, mark, lengthPenalty, leastDeviation }, stage): RolloutStrategy => {
    const target = targetOf(stage, reflectedReward);
    return {
      async rollOut(requests, next, { solution, logprobs, mostTokens, tokenText, regroup, metric }) {
        const seen = { reward: [] as number[], deviation: [] as number[], tokens: [] as number[], leftOut: 0 };
        const groups = [];
        for (const group of await next(requests)) {
          const { alone, reference } = referenceOf(solution(group.item), mark, tokenText);
          const ends = group.rollouts.map(({ tokens }) => endOfMark(tokens, mark, tokenText));
          const fitting = ends.flatMap((end, i) =>
            end === undefined || end + reference.length > mostTokens ? [] : [{ i, end }],
          );
          const chains = fitting.map(({ i, end }) => group.rollouts[i].tokens.subarray(0, end));
          const scored = await logprobs(
            group.prompt,
            [alone, ...chains].map((chain) => Int32Array.from([...chain, ...reference])),
          );
          const [masked, ...behind] = scored.map((own) => own.slice(own.length - reference.length));
          const weights = weightsOf(behind, reference.length);
          const paid = new Map(
            fitting.map(({ i, end }, k) => {
              const gain = weights.shares.reduce((sum, weight, j) => sum + weight * (behind[k][j] - masked[j]), 0);
              const difference = Math.abs(group.rollouts[i].tokens.length - end - reference.length);
              return [i, gain - (lengthPenalty * difference) / Math.max(1, reference.length)];
            }),
          );
          const worst = Math.min(0, ...paid.values());
          const rewards = group.rollouts.map((_, i) => (reference.length === 0 ? null : (paid.get(i) ?? worst)));
          seen.reward.push(...rewards.flatMap((reward) => reward ?? []));
          seen.deviation.push(weights.most);
          seen.tokens.push(...chains.map(({ length }) => length));
          const paidGroup = regroup(
            group,
            group.rollouts.map((rollout, i) => target.write(rollout, rewards[i])),
          );
          const isLeftOut = weights.most < leastDeviation;
          groups.push(isLeftOut ? { ...paidGroup, dead: true, ruledOut: true as const } : paidGroup);
          seen.leftOut += Number(isLeftOut);
        }
        if (leastDeviation > 0) metric('left_out', seen.leftOut / Math.max(1, groups.length));
        metric('reward', meanOf(seen.reward));
        metric('deviation', meanOf(seen.deviation));
        metric('reasoning_tokens', meanOf(seen.tokens));
        return groups;
      },
    };
  },
});

/** Share of each token in the deviations over the completions, all alike where none differs; and the largest deviation. */
function weightsOf(
  behind: readonly Float32Array[],
  length: number,
): { readonly shares: readonly number[]; readonly most: number } {
  const deviations = Array.from({ length }, (_, j) => {
    const values = behind.map((own) => own[j]);
    const mean = meanOf(values);
    return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
  });
  const total = deviations.reduce((sum, deviation) => sum + deviation, 0);
  return {
    shares: deviations.map((deviation) => (total === 0 ? 1 / length : deviation / total)),
    most: Math.max(0, ...deviations),
  };
}
