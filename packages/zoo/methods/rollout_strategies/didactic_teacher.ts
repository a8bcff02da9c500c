/**
 * Attempts and retries are trained on, each as it was sampled, and all of a dialogue are paid by how it ends. After
 * learning from language feedback in dialogues; the paper's teacher is a model with the solution, here it is what the
 * task says of an attempt, or its hints. What a teacher says never has the answer.
 */

import { feedback } from '../../../../src/methods/uses/feedback.ts';
import type { RolloutGroup, RolloutStrategy, RolloutTools } from '../kit.ts';
import { integer, isRight, keys, meanOf, method, number } from '../kit.ts';
import { answerTokens } from '../support/rollouts/answers.ts';
import { type Chain, oneMore, paidByLast } from '../support/rollouts/chains.ts';
import { membersOf } from '../support/rollouts/request_members.ts';
import { furtherPrompts, shownTexts } from '../uses/room.ts';

export const didacticTeacher = method({
  id: 'didactic-teacher',
  about: {
    does: 'Lets the policy try again after a teacher has said what is wrong, without the answer.',
    names: ['interactive in-context learning', 'teacher-student dialogue'],
    formula:
      'where an attempt is wrong: the next after problem, attempt and hint, up to teacher_turns; R of all ← turn_discount^(turns−1)·R of the last',
    source: 'own',
    certainty: 'after the paper',
    when: 'Where nearly all answers are wrong and a task gives feedback; the policy needs a warm start on the form of the hints.',
  },
  against: ['all-wrong', 'low-solve-rate'],
  options: keys({
    teacherTurns: integer({ min: 1, max: 16, example: 2 })
      .default(2)
      .describe('Attempts of a dialogue, at most; 1 samples plainly.'),
    turnDiscount: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('What a turn more leaves of the reward of a dialogue.'),
  }),
  conflict: ({ teacher_turns: turns }, _, { batch: { numGenerations } }) =>
    typeof turns !== 'number' || turns <= numGenerations
      ? undefined
      : `makes dialogues of ${turns} attempts, and groups are of ${numGenerations}; use fewer turns`,
  note: () =>
    'evaluations ask for an answer without a teacher; what retries gain is logged as didactic-teacher/retry_solved',
  uses: (_, { batch: { numGenerations } }) => [feedback(), shownTexts(2), furtherPrompts(numGenerations - 1)],
  demonstrate: ({ item, attempt, isAttemptRight, answer, isAnswerRight, shown, ended }) =>
    isAttemptRight || !isAnswerRight ? undefined : { prompt: shown(item, attempt), tokens: ended(answer) },
  readsVerdicts: true,
  pays: { does: 'changes' },
  create: ({ teacherTurns, turnDiscount }): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      if (teacherTurns === 1) return next(requests);
      const { regroup, metric } = tools;
      const counts = requests.map(({ samples }) => Math.ceil(samples / teacherTurns));
      const first = await next(requests.map((request, i) => membersOf(request, 0, counts[i])));
      const groups = first.slice(0, requests.length);
      const dialogues = groups.map(({ rollouts }): Chain[] => rollouts.map((rollout) => [rollout]));
      const retried: number[] = [];
      for (let turn = 1; turn < teacherTurns; turn++) {
        const open = dialogues.flatMap((own, i) =>
          own.flatMap((chain, k) => (isRight(chain[chain.length - 1]) ? [] : [{ i, k, chain }])),
        );
        if (open.length === 0) break;
        const answered = await next(
          open.map(({ i, chain }) => oneMore(requests[i], taught(groups[i], chain, tools), 'taught')),
        );
        open.forEach(({ i, k, chain }, j) => {
          const [rollout] = answered[j].rollouts;
          retried.push(Number(isRight(rollout)));
          dialogues[i][k] = [...chain, rollout];
        });
      }
      const missing = requests.map(({ samples }, i) => Math.max(0, samples - dialogues[i].flat().length));
      const short = requests.flatMap((_, i) => (missing[i] > 0 ? [i] : []));
      const more =
        short.length === 0 ? [] : await next(short.map((i) => membersOf(requests[i], counts[i], missing[i])));
      metric('retries', retried.length / Math.max(1, dialogues.flat().length));
      if (retried.length > 0) metric('retry_solved', meanOf(retried));
      return [
        ...groups.map((group, i) => {
          const plain = short.includes(i) ? more[short.indexOf(i)].rollouts : [];
          const all = [...dialogues[i].flatMap((chain) => paidByLast(chain, turnDiscount)), ...plain];
          return regroup(group, all.slice(0, requests[i].samples));
        }),
        ...first.slice(requests.length),
      ];
    },
  }),
});

/** The problem with the last attempt and what the teacher says of it. */
function taught({ item }: RolloutGroup, chain: Chain, { shown, tokensOf, hints }: RolloutTools): Int32Array {
  const last = chain[chain.length - 1];
  const { feedback: said } = last.verdict;
  const known = hints(item);
  const hint = said === undefined ? known[Math.min(chain.length, known.length) - 1] : tokensOf(said);
  const attempt = answerTokens(last);
  return shown(item, ...[attempt, ...(hint ? [hint] : [])].filter(({ length }) => length > 0));
}
