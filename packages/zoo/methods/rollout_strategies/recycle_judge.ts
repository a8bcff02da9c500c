/** A right and a wrong answer are shown in both orders, so that neither place is right more often. */
import { type GroupRequest, isRight, keys, method, number, type RolloutStrategy } from '../kit.ts';
import { answerPairs, answerTokens } from '../support/rollouts/answers.ts';
import { judgeWord, shareSaying } from '../support/rollouts/verdict_words.ts';
import { ANOTHER } from '../support/rollouts/words.ts';
import { replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

const [COMPARE, FIRST, SECOND] = ['<compare>', '<first>', '<second>'];

export const recycleJudge = method({
  id: 'recycle-judge',
  about: {
    does: 'Lets the policy say which of two of its answers is right, and trains it on that.',
    names: ['SPARK', 'pairwise judge'],
    formula:
      'R = 1 where <first> or <second> names the right one of two answers, each pair in both orders; groups of their own',
    source: '2509.22624',
    certainty: 'after the paper',
  },
  options: keys({
    judgeShare: number({ above: 0, max: 1, example: 0.25 })
      .default(0.25)
      .describe('Groups that judge, for each that solves, at most: two of each pair.'),
  }),
  uses: () => [
    words({
      [ANOTHER]: 'Give another answer.',
      [COMPARE]: 'Which of your two answers is right? Reply first or second.',
      [FIRST]: 'first',
      [SECOND]: 'second',
    }),
    replies(2),
  ],
  demonstrate({ attempt, isAttemptRight, answer, isAnswerRight, rng, followUp, word, ended }) {
    if (isAttemptRight === isAnswerRight) return undefined;
    const isSwapped = rng.float() < 0.5;
    const [one, other] = isSwapped ? [answer, attempt] : [attempt, answer];
    return {
      prompt: followUp([one, ANOTHER], [other, COMPARE]),
      tokens: ended(word(isAttemptRight === isSwapped ? SECOND : FIRST)),
    };
  },
  tells: ['judges'],
  readsVerdicts: true,
  work: ({ judgeShare }, _, { prompt, completion }) => ({ rows: judgeShare * (prompt + completion) }),
  create: ({ judgeShare }, { batch: { numGenerations: samples } }): RolloutStrategy => ({
    async rollOut(requests, next, { rng, metric, followUp, said }) {
      const groups = await next(requests);
      const words = [said(FIRST), said(SECOND)];
      const pairs = answerPairs(groups, Math.round((judgeShare * groups.length) / 2), rng);
      metric('pairs', pairs.length);
      if (pairs.length === 0) return groups;
      const asked = pairs.flatMap(({ group: { item }, right, wrong }) =>
        [0, 1].map((place): GroupRequest => {
          const [one, other] = place === 0 ? [right, wrong] : [wrong, right];
          return {
            item,
            samples,
            prompt: followUp(item, [answerTokens(one), ANOTHER], [answerTokens(other), COMPARE]),
            kind: 'judge',
            judge: (text) => judgeWord(text, words, words[place]),
          };
        }),
      );
      const verdicts = await next(asked);
      const all = verdicts.flatMap(({ rollouts }) => rollouts);
      metric('accuracy', all.filter(isRight).length / all.length);
      metric('says_first', shareSaying(all, words, words[0]));
      metric('says_second', shareSaying(all, words, words[1]));
      return [...groups, ...verdicts];
    },
  }),
});
