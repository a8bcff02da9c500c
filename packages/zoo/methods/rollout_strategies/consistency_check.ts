/**
 * ACRE shuffles the options of multiple choice; a twin has the numbers of a problem in another order, say. Only the
 * answer is sampled again, and it is not trained on.
 */
import { isRight } from '../../../../src/methods/support/rollouts/right.ts';
import { type GroupRequest, keys, meanOf, method, number, type Rollout, type RolloutStrategy } from '../kit.ts';
import { answerTokens } from '../support/rollouts/answers.ts';
import { endOfMark, MARK } from '../support/rollouts/marked.ts';
import { twinPrompts } from '../uses/twin_prompts.ts';

export const consistencyCheck = method({
  id: 'consistency-check',
  about: {
    does: 'Pays less for a right answer whose reasoning does not lead to it under another prompt of the problem.',
    names: ['ACRE', 'answer-consistent reinforcement'],
    formula: 'R ← first_alone·R where o is right and o′ ~ π(· | twin, reasoning of o) is not',
    source: 'own',
    certainty: 'after the paper',
    when: 'Where answers may be right by guessing and a task can ask a problem in two ways; it samples each right answer again.',
  },
  options: keys({
    firstAlone: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('What a right answer is worth that is not found again; 1 asks nothing again.'),
    mark: MARK,
    traceShare: number({ min: 0, below: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of a completion without the mark that is taken for its reasoning.'),
  }),
  uses: () => [twinPrompts],
  readsVerdicts: true,
  pays: { does: 'changes' },
  work: (_, { batch: { numGenerations } }, { prompt, completion }) => ({ rows: prompt + numGenerations * completion }),
  create: ({ firstAlone, mark, traceShare }): RolloutStrategy => ({
    async rollOut(requests, next, { twin, tokenText, regroup, metric }) {
      const groups = await next(requests);
      if (firstAlone === 1) return groups;
      const asked: GroupRequest[] = [];
      const again = groups.map(({ item, rollouts }) => {
        const other = twin(item);
        const right = rollouts.filter(isRight);
        if (other === undefined || right.length === 0) return undefined;
        const prefixes = right.map((rollout) => traceOf(rollout, mark, traceShare, tokenText));
        asked.push({ item: other, samples: right.length, prefixes, origin: 'recheck' });
        return right;
      });
      if (asked.length === 0) return groups;
      const rechecked = (await next(asked)).slice(0, asked.length);
      metric('consistent', meanOf(rechecked.flatMap(({ rollouts }) => rollouts.map((one) => Number(isRight(one))))));
      let at = 0;
      return groups.map((group, i) => {
        const right = again[i];
        if (right === undefined) return group;
        const found = rechecked[at++].rollouts;
        const alone = new Set(right.filter((_, k) => !isRight(found[k])));
        if (alone.size === 0) return group;
        const worth = (one: Rollout): Rollout =>
          alone.has(one) && one.reward !== null ? { ...one, reward: firstAlone * one.reward } : one;
        return regroup(group, group.rollouts.map(worth));
      });
    },
  }),
});

/** The tokens up to the answer. */
function traceOf(rollout: Rollout, mark: string, share: number, textOf: (id: number) => string): Int32Array {
  const written = answerTokens(rollout);
  const end = endOfMark(written, mark, textOf) ?? Math.floor(share * written.length);
  return written.subarray(0, end);
}
