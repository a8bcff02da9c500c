/**
 * Right answers of the task in the places of wrong completions, where a group solves its problem too seldom. Of several
 * answers those are taken that the policy finds likeliest, or, with `chosen_by: result`, those whose reasoning makes their
 * result likeliest, exp(mean log π(result | problem, reasoning)), as AMPO takes the teacher that is best understood. They are
 * off-policy of log-prob 0, as if they had been sampled for certain, so that the ratio is π itself; the objective `p-div`
 * is made for them.
 *
 * `injected_reward: mean` lowers their reward to the mean of the policy's own once one of these is right, as ViSurf does:
 * then they no longer push.
 */
import type { Rollout, RolloutGroup, RolloutStrategy, RolloutTools } from '../kit.ts';
import { choice, integer, isRight, key, keys, laterKey, meanOf, method, number } from '../kit.ts';
import { endOfMark, MARK } from '../support/rollouts/marked.ts';
import { rightAnswers } from '../uses/answers.ts';

export const injectReference = method({
  id: 'inject-reference',
  about: {
    does: 'Puts right answers of the task into the places of wrong completions.',
    names: ['AMPO', 'ViSurf', 'gt-injection', 'LUFFY'],
    formula: 'where the share of right ones ≤ solved_at_most: the last wrong ones ← the answers of greatest mean log π',
    source: '2510.02227',
    certainty: 'after the paper',
  },
  against: ['all-wrong', 'low-solve-rate'],
  options: keys({
    injectedAnswers: key(
      'injected',
      integer({ min: 1, max: 64, example: 1 }).default(1).describe('Most members that are replaced.'),
    ),
    solvedAtMost: number({ min: 0, max: 1, example: 0 })
      .default(0)
      .describe('Groups of which a larger share is right are left alone.'),
    injectedReward: choice(['own', 'mean'], 'not a reward of an injected answer')
      .default('own')
      .describe("own: what a right answer gets; mean: that of the policy's completions, once one of them is right."),
    chosenBy: laterKey(
      'chosen_by',
      choice(['all', 'result'])
        .default('all')
        .describe(
          'Of several answers, those whose tokens are likeliest: all of them, or those after the mark (result).',
        ),
    ),
    resultMark: laterKey('mark', MARK),
  }),
  uses: () => [rightAnswers],
  samplesOffPolicy: true,
  tells: ['hints'],
  helps: ['reference'],
  readsVerdicts: true,
  pays: ({ injected_reward: own }) => (own === 'mean' ? { does: 'changes' } : undefined),
  create: ({ injectedAnswers, solvedAtMost, injectedReward, chosenBy, resultMark }): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      const groups = [...(await next(requests))];
      let injected = 0;
      for (const [i, group] of groups.entries()) {
        const wrong = group.rollouts.filter((rollout) => !isRight(rollout)).length;
        const right = group.rollouts.length - wrong;
        if (right / group.rollouts.length > solvedAtMost) continue;
        const count = Math.min(injectedAnswers, wrong, group.rollouts.length - 1);
        const mark = chosenBy === 'result' ? resultMark : undefined;
        const answers = await likeliest(group, count, mark, tools);
        const references = await tools.references(group.item, answers);
        if (references.length === 0) continue;
        injected++;
        const isLowered = injectedReward === 'mean' && right > 0;
        groups[i] = tools.regroup(group, replaced(group, isLowered ? references.map(lowered(group)) : references));
      }
      tools.metric('rate', injected / groups.length);
      return groups;
    },
  }),
});

async function likeliest(
  { item, prompt }: RolloutGroup,
  count: number,
  mark: string | undefined,
  { solutions, logprobs, tokenText }: RolloutTools,
): Promise<readonly Int32Array[]> {
  const known = solutions(item);
  if (known.length <= count) return known;
  const from = (answer: Int32Array): number =>
    mark === undefined ? 0 : (endOfMark(answer, mark, tokenText) ?? 0) % answer.length;
  const scored = (await logprobs(prompt, known)).map((own, i) => ({
    answer: known[i],
    mean: meanOf([...own.subarray(from(known[i]))]),
  }));
  return scored
    .sort((a, b) => b.mean - a.mean)
    .slice(0, count)
    .map(({ answer }) => answer);
}

/** The last wrong ones give way; the order is that of the group. */
function replaced({ rollouts }: RolloutGroup, references: readonly Rollout[]): Rollout[] {
  const left = [...references];
  return rollouts
    .toReversed()
    .map((rollout) => (isRight(rollout) ? rollout : (left.pop() ?? rollout)))
    .reverse();
}

function lowered({ rollouts }: RolloutGroup): (reference: Rollout) => Rollout {
  const mean = meanOf(rollouts.flatMap(({ reward }) => reward ?? []));
  return (reference) => ({ ...reference, reward: mean });
}
