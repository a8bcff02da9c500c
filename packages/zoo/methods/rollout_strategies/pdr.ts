/**
 * Parallel drafts, distilled and refined. With a single draft a round it is sequential refinement. Verdicts play no part
 * in it.
 */

import { ownLength } from '../../../../src/methods/support/rollouts/turns.ts';
import type { GroupRequest, Rollout, RolloutGroup, RolloutStrategy } from '../kit.ts';
import { integer, keys, meanOf, method, shareRight } from '../kit.ts';
import { largestOf } from '../support/credit/group_size.ts';
import { answerTokens } from '../support/rollouts/answers.ts';
import { resized } from '../support/rollouts/request_members.ts';
import { ANOTHER, REFINE } from '../support/rollouts/words.ts';
import { replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

export const pdr = method({
  id: 'pdr',
  about: {
    does: 'Samples rounds of drafts, each after the commonest answers of the round before, and trains the last.',
    names: ['parallel-distill-refine', 'sequential refinement'],
    formula:
      'rounds × draft_samples drafts; prompt ← problem and the `workspace` answers with most votes; n completions trained',
    source: '2510.01123',
    certainty: 'after the paper',
    when: 'Where drafts disagree and an answer can be voted on; it costs several drafts for each completion that is trained.',
  },
  options: keys({
    draftSamples: integer({ min: 1, max: 256, example: 4 }).default(4).describe('Drafts of a problem in a round.'),
    draftRounds: integer({ min: 0, max: 16, example: 1 })
      .default(1)
      .describe('Rounds of drafts before the one that is trained; 0 samples plainly.'),
    workspace: integer({ min: 1, max: 8, example: 2 })
      .default(2)
      .describe('Different answers, at most, that the next round is shown.'),
  }),
  note: () => 'evaluations ask for an answer without drafts; what drafts gain is logged as pdr/gain',
  uses: ({ workspace }) => [
    words({ [ANOTHER]: 'Give another answer.', [REFINE]: 'Give a better answer.' }),
    replies(largestOf(workspace)),
  ],
  demonstrate: ({ attempt, answer, followUp, ended }) => ({
    prompt: followUp([attempt, REFINE]),
    tokens: ended(answer),
  }),
  work: ({ draftSamples, draftRounds }, _, { completion }) => ({ rows: draftSamples * draftRounds * completion }),
  create: ({ draftSamples, draftRounds, workspace }): RolloutStrategy => ({
    async rollOut(requests, next, { metric, followUp }) {
      let asked = requests;
      let first: readonly RolloutGroup[] | undefined;
      let sequential = 0;
      for (let round = 0; round < draftRounds; round++) {
        const drafts = (
          await next(asked.map((request) => ({ ...resized(request, draftSamples), origin: 'draft' })))
        ).slice(0, requests.length);
        first ??= drafts;
        sequential += lengthOf(drafts);
        asked = requests.map((request, i): GroupRequest => {
          const answers = mostVoted(drafts[i], workspace).map(answerTokens);
          const turns = answers.map((answer, k) => [answer, k + 1 < answers.length ? ANOTHER : REFINE] as const);
          return { ...request, prompt: followUp(request.item, ...turns), origin: 'refined' };
        });
      }
      const groups = await next(asked);
      if (first === undefined) return groups;
      const refined = groups.slice(0, requests.length);
      metric('draft_solved', shareRight(first));
      metric('gain', shareRight(refined) - shareRight(first));
      metric('sequential_tokens', sequential + lengthOf(refined));
      return groups;
    },
  }),
});

/** One draft for each of the answers that were given most; of as many votes, the earlier one. */
export function mostVoted({ rollouts }: Pick<RolloutGroup, 'rollouts'>, count: number): Rollout[] {
  const votes = new Map<string, Rollout[]>();
  for (const rollout of rollouts) {
    const answer = rollout.verdict.canonical ?? rollout.text;
    votes.set(answer, [...(votes.get(answer) ?? []), rollout]);
  }
  const byVotes = [...votes.values()].sort((a, b) => b.length - a.length);
  return byVotes.slice(0, count).map(([one]) => one);
}

function lengthOf(groups: readonly RolloutGroup[]): number {
  return meanOf(groups.flatMap(({ rollouts }) => rollouts.map(ownLength)));
}
