/**
 * A reward without a verifier: how much likelier the policy finds a reference answer after the reasoning of a
 * completion than without any. The reasoning is what a completion writes up to a mark, and the reference what the
 * task's right answer has after that mark; without reasoning it follows the mark alone. The policy scores both as it
 * is, a pass before each update. A completion without the mark, or one after whose reasoning the reference has no room,
 * is worth 0. Where the policy is sure of the reference after a right chain and would not guess it without, this is the
 * reward of an exact match; of an empty chain it is 0. A problem without a reference has no reward. The strict verdict
 * is logged beside it, and so is the length of the reasoning: summed log-probs as a reward are known to shorten it.
 */
import { groupRows, isRight, keys, meanOf, method, type RolloutStrategy } from '../kit.ts';
import { changeConflict, changedReward, paysReward, targetOf } from '../support/rewards/reward_parts.ts';
import { endOfMark, MARK, referenceOf } from '../support/rollouts/marked.ts';
import { rightAnswers } from '../uses/answers.ts';

export const refProb = method({
  id: 'ref-prob',
  about: {
    does: 'Rewards how much likelier a reference answer is after the reasoning of a completion than without it; needs no verifier.',
    names: ['RLPR'],
    formula: 'R = clip(mean_t π(y*_t | q, c) − mean_t π(y*_t | q), 0, 1)',
    source: '2506.18254',
    certainty: 'paper',
  },
  options: keys({
    likelierReward: changedReward,
    mark: MARK,
  }),
  uses: () => [rightAnswers],
  conflict: changeConflict,
  pays: paysReward('replaces'),
  relabels: true,
  work: (_, { batch: { numGenerations } }, lengths) => ({ rows: groupRows(numGenerations + 1, lengths), scores: true }),
  create: ({ likelierReward, mark }, stage): RolloutStrategy => {
    const target = targetOf(stage, likelierReward);
    return {
      async rollOut(requests, next, { solution, logprobs, mostTokens, tokenText, regroup, metric }) {
        const seen = { gain: [] as number[], alone: [] as number[], tokens: [] as number[], right: [] as number[] };
        const groups = [];
        for (const group of await next(requests)) {
          const { alone: bare, reference } = referenceOf(solution(group.item), mark, tokenText);
          if (reference.length === 0) {
            groups.push(
              regroup(
                group,
                group.rollouts.map((rollout) => target.write(rollout, null)),
              ),
            );
            continue;
          }
          const chains = group.rollouts.map(({ tokens }) => {
            const end = endOfMark(tokens, mark, tokenText);
            return end === undefined || end + reference.length > mostTokens ? undefined : tokens.subarray(0, end);
          });
          const asked = [bare, ...chains.filter((chain) => chain !== undefined)];
          const scored = await logprobs(
            group.prompt,
            asked.map((chain) => Int32Array.from([...chain, ...reference])),
          );
          const [alone, ...behind] = scored.map((own) => meanOf(Array.from(own.slice(-reference.length), Math.exp)));
          seen.alone.push(alone);
          const rollouts = group.rollouts.map((rollout, i) => {
            const chain = chains[i];
            const gain = chain === undefined ? 0 : Math.min(1, Math.max(0, (behind.shift() ?? 0) - alone));
            seen.gain.push(gain);
            seen.right.push(Number(isRight(rollout)));
            if (chain !== undefined) seen.tokens.push(chain.length);
            return target.write(rollout, gain);
          });
          groups.push(regroup(group, rollouts));
        }
        metric('gain', meanOf(seen.gain));
        metric('without_reasoning', meanOf(seen.alone));
        metric('reasoning_tokens', meanOf(seen.tokens));
        metric('accuracy', meanOf(seen.right));
        return groups;
      },
    };
  },
});
