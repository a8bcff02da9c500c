/**
 * The new completion counts in no baseline and has no advantage, so `ssb` alone learns from it. The first half of
 * Semantic Soft Bootstrapping, arXiv:2512.05105, during training and not offline.
 */
import type { GroupRequest, Rollout, RolloutStrategy } from '../kit.ts';
import { groupRows, integer, isRight, method, renamedKey } from '../kit.ts';
import { answerTokens } from '../support/rollouts/answers.ts';
import { withoutHint } from '../support/rollouts/hints.ts';
import { shownTexts } from '../uses/room.ts';
import { mostVoted } from './pdr.ts';

export const contrastExplain = method({
  id: 'contrast-explain',
  about: {
    does: 'Answers once more with a right and the commonest wrong answer in sight, for `ssb` to learn from.',
    names: ['Semantic Soft Bootstrapping', 'robust explanation'],
    formula:
      'c ~ π(· | problem, right, commonest wrong), right; it takes the place of the last member, under the problem alone',
    source: '2512.05105',
    certainty: 'after the paper',
    when: 'Beside the loss term ssb, where the policy can explain an answer that it is shown; alone it only adds hinted completions.',
  },
  companions: [{ ids: ['ssb'], line: 'loss_terms: [ssb]', why: 'so that explained answers are learned from' }],
  options: {
    explanations: renamedKey(
      'explain_samples',
      'explanations',
      integer({ min: 0, max: 64, example: 2 })
        .default(2)
        .describe('Explanations that are sampled, of which the first right one is kept; 0: none.'),
    ),
  },
  uses: () => [shownTexts(2)],
  samplesOffPolicy: ({ explanations }) => explanations > 0,
  demonstrate: ({ item, attempt, isAttemptRight, answer, isAnswerRight, shown, ended }) =>
    isAttemptRight || !isAnswerRight ? undefined : { prompt: shown(item, answer, attempt), tokens: ended(answer) },
  readsVerdicts: true,
  work: ({ explanations }, _, lengths) => ({ rows: groupRows(explanations, lengths) }),
  create: ({ explanations }): RolloutStrategy => ({
    async rollOut(requests, next, { shown, regroup, metric }) {
      const groups = [...(await next(requests))];
      if (explanations === 0) return groups;
      const places: number[] = [];
      const asked: GroupRequest[] = [];
      groups.forEach(({ item, rollouts }, i) => {
        const right = rollouts.find(isRight);
        const [wrong] = mostVoted({ rollouts: rollouts.filter((one) => !isRight(one)) }, 1);
        if (right === undefined || wrong === undefined || rollouts.length < 2) return;
        places.push(i);
        const prompt = shown(item, answerTokens(right), answerTokens(wrong));
        asked.push({ item, samples: explanations, prompt, origin: 'explained' });
      });
      const answered = asked.length === 0 ? [] : await next(asked);
      let explained = 0;
      places.forEach((i, k) => {
        const found = answered[k].rollouts.find(isRight);
        if (found === undefined) return;
        explained++;
        const member: Rollout = { ...withoutHint(found), inBaseline: false };
        groups[i] = regroup(groups[i], [...groups[i].rollouts.slice(0, -1), member]);
      });
      metric('asked', places.length / groups.length);
      metric('explained', explained / Math.max(1, places.length));
      return groups;
    },
  }),
});
