/**
 * Where no completion of a problem is right, the policy is shown the answer and writes completions that lead to it. Those
 * that are right take the places of the group's last members, trained as if the answer had not been in sight: what the
 * policy says with the answer before it is nearer to its own way than a reference is.
 *
 * `raises_answer` keeps the paper's second condition: the explanation makes the answer likelier than the failed completions do,
 * log π(answer | problem, c̃) > mean_i log π(answer | problem, c_i), c up to the mark that the answer follows.
 *
 * Their ratio is that of the policy without the answer to the policy with it. `sft-nll` on `off-policy` completions adds
 * the likelihood that ExPO trains them by, with a weight that may fall to 0.
 */
import type { Rollout, RolloutGroup, RolloutStrategy, RolloutTools } from '../kit.ts';
import { flag, helpedRows, integer, isRight, key, keys, laterKey, meanOf, method, number } from '../kit.ts';
import { withoutHint } from '../support/rollouts/hints.ts';
import { endOfMark, MARK, referenceOf } from '../support/rollouts/marked.ts';
import { isUnsolved } from '../support/rollouts/unsolved.ts';
import { rightAnswers } from '../uses/answers.ts';
import { shownTexts } from '../uses/room.ts';

export const answerConditioned = method({
  id: 'answer-conditioned',
  about: {
    does: 'Puts completions that were sampled with the answer in sight into groups that have no right one.',
    names: ['ExPO', 'self-explanation'],
    formula: 'where all are wrong: c ~ π(· | problem, answer), right, mean log π(c | problem) ≥ ln least_likelihood',
    source: '2507.02834',
    certainty: 'after the paper',
  },
  against: ['all-wrong', 'low-solve-rate'],
  options: keys({
    explanations: key(
      'answer_samples',
      integer({ min: 1, max: 64, example: 4 })
        .default(4)
        .describe('Completions that are sampled with the answer in sight.'),
    ),
    mostRescued: key(
      'rescued',
      integer({ min: 1, max: 64, example: 1 })
        .default(1)
        .describe('Most members of a group that are replaced; one failure stays.'),
    ),
    leastLikelihood: number({ min: 0, below: 1, example: 0.05 })
      .default(0)
      .describe('Least geometric mean of the probabilities of its tokens without the answer in sight.'),
    raisesAnswer: laterKey(
      'raises_answer',
      flag()
        .default(false)
        .describe('Keep only completions whose part up to the mark makes the answer likelier than the failed ones do.'),
    ),
    mark: laterKey('mark', MARK),
  }),
  uses: () => [rightAnswers, shownTexts(1)],
  demonstrate: ({ item, answer, shown, ended }) => ({ prompt: shown(item, answer), tokens: ended(answer) }),
  samplesOffPolicy: true,
  tells: ['hints'],
  helps: ['answered'],
  readsVerdicts: true,
  work: ({ explanations }, _, lengths) => ({ rows: helpedRows(explanations, lengths) }),
  create: ({ explanations, mostRescued, leastLikelihood, raisesAnswer, mark }): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      const { solution, shown, regroup, metric } = tools;
      const groups = [...(await next(requests))];
      const failed = groups.flatMap((group, i) => (isUnsolved(group) && solution(group.item).length > 0 ? [i] : []));
      metric('rate', failed.length / groups.length);
      if (failed.length === 0) return groups;
      const again = await next(
        failed.map((i) => {
          const { item } = groups[i];
          return { item, samples: explanations, prompt: shown(item, solution(item)), origin: 'answered' };
        }),
      );
      let rescued = 0;
      for (const [k, i] of failed.entries()) {
        const group = groups[i];
        const plausible = await likely(group, again[k].rollouts, leastLikelihood, tools);
        const right = raisesAnswer ? await raising(group, plausible, mark, tools) : plausible;
        const members = right.slice(0, Math.min(mostRescued, group.rollouts.length - 1)).map(withoutHint);
        if (members.length === 0) continue;
        rescued++;
        groups[i] = regroup(group, [...group.rollouts.slice(0, -members.length), ...members]);
      }
      metric('rescued_groups', rescued / failed.length);
      return groups;
    },
  }),
});

/** The right ones that the policy might have written without the answer. */
async function likely(
  { prompt }: RolloutGroup,
  rollouts: readonly Rollout[],
  least: number,
  { logprobs }: RolloutTools,
): Promise<readonly Rollout[]> {
  const right = rollouts.filter(isRight);
  if (least === 0 || right.length === 0) return right;
  const scored = await logprobs(
    prompt,
    right.map(({ tokens }) => tokens),
  );
  return right.filter((_, i) => meanOf([...scored[i]]) >= Math.log(least));
}

/** Those whose reasoning makes the answer likelier than that of the group's own completions does on average. */
async function raising(
  { item, prompt, rollouts }: RolloutGroup,
  explained: readonly Rollout[],
  mark: string,
  { logprobs, solution, tokenText, mostTokens }: RolloutTools,
): Promise<readonly Rollout[]> {
  const { alone, reference } = referenceOf(solution(item), mark, tokenText);
  const chainOf = ({ tokens }: Rollout): Int32Array => {
    const end = endOfMark(tokens, mark, tokenText);
    return end === undefined || end + reference.length > mostTokens ? alone : tokens.subarray(0, end);
  };
  const chains = [...explained, ...rollouts].map(chainOf);
  const scored = await logprobs(
    prompt,
    chains.map((chain) => Int32Array.from([...chain, ...reference])),
  );
  const sums = scored.map((own, i) => own.subarray(chains[i].length).reduce((sum, value) => sum + value, 0));
  const before = meanOf(sums.slice(explained.length));
  return explained.filter((_, i) => sums[i] > before);
}
