/**
 * The best failure is that of the highest reward; it is shown with what the task says was wrong. Right answers replace
 * the group's last members, trained as if they had been given to the problem alone.
 */

import { feedback } from '../../../../src/methods/uses/feedback.ts';
import { helpedRows, integer, isRight, key, keys, method, type RolloutStrategy } from '../kit.ts';
import { answerTokens, bestOf } from '../support/rollouts/answers.ts';
import { withoutHint } from '../support/rollouts/hints.ts';
import { isUnsolved } from '../support/rollouts/unsolved.ts';
import { shownTexts } from '../uses/room.ts';

export const refineInject = method({
  id: 'refine-inject',
  about: {
    does: 'Lets the policy correct its best failure, and puts what is then right into the group.',
    names: ['RGR-GRPO', 'self-refinement'],
    formula:
      'where all are wrong: c ~ π(· | problem, best failure, what was wrong), right; trained under the problem alone',
    source: '2511.12344',
    certainty: 'after the paper',
    when: 'Where most groups are all wrong and feedback lets the policy mend its answer; else it costs a second attempt for nothing.',
  },
  against: ['all-wrong', 'low-solve-rate'],
  options: keys({
    refineSamples: integer({ min: 1, max: 64, example: 4 }).default(4).describe('Corrections that are sampled.'),
    mostCorrected: key(
      'corrected',
      integer({ min: 1, max: 64, example: 1 })
        .default(1)
        .describe('Most members of a group that are replaced; one failure stays.'),
    ),
  }),
  uses: () => [shownTexts(2), feedback()],
  demonstrate: ({ item, attempt, isAttemptRight, answer, isAnswerRight, shown, ended }) =>
    isAttemptRight || !isAnswerRight ? undefined : { prompt: shown(item, attempt), tokens: ended(answer) },
  samplesOffPolicy: true,
  readsVerdicts: true,
  work: ({ refineSamples }, _, lengths) => ({ rows: helpedRows(refineSamples, lengths) }),
  create: ({ refineSamples, mostCorrected }): RolloutStrategy => ({
    async rollOut(requests, next, { shown, tokensOf, regroup, metric }) {
      const groups = [...(await next(requests))];
      const failed = groups.flatMap((group, i) => (isUnsolved(group) ? [i] : []));
      metric('rate', failed.length / groups.length);
      if (failed.length === 0) return groups;
      const again = await next(
        failed.map((i) => {
          const { item } = groups[i];
          const best = bestOf(groups[i]);
          const { feedback = '' } = best.verdict;
          const prompt = shown(item, answerTokens(best), tokensOf(feedback));
          return { item, samples: refineSamples, prompt, origin: 'refined' };
        }),
      );
      let corrected = 0;
      failed.forEach((i, k) => {
        const { rollouts } = groups[i];
        const members = again[k].rollouts.filter(isRight).slice(0, Math.min(mostCorrected, rollouts.length - 1));
        if (members.length === 0) return;
        corrected++;
        groups[i] = regroup(groups[i], [...rollouts.slice(0, -members.length), ...members.map(withoutHint)]);
      });
      metric('corrected', corrected / failed.length);
      return groups;
    },
  }),
});
