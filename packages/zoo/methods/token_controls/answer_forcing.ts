/**
 * What is put in carries no loss, and held-out completions never have it: a policy learns to answer after it, and to
 * stop thinking from what that is rewarded with. TrimR (arXiv:2505.17155) asks a small verifier which answers of a chain
 * are equivalent; here they are compared as texts.
 */
import { integer, keys, method, optional, type TokenControl, text } from '../kit.ts';
import { repeats } from '../support/rollouts/repeats.ts';
import { writtenText } from '../uses/words.ts';

export const answerForcing = method({
  id: 'answer-forcing',
  about: {
    does: 'Opens the answer of a completion that repeats itself, or comes to the same answer again.',
    names: ['TrimR', 'early exit from reasoning'],
    formula:
      'forced_text after `length` tokens that occur `times` times in a row, or after same_answers equal texts after answer_mark',
    source: '2505.17155',
    certainty: 'after the paper',
    when: 'For reasoning that runs on after the answer is known; needs a mark that opens the answer.',
  },
  options: keys({
    forcedText: text('</think><answer>').default('<answer>').describe('What is put in, and opens the answer.'),
    length: integer({ min: 1, max: 1024, example: 4 }).default(4).describe('Tokens that repeat.'),
    times: integer({ min: 2, max: 64, example: 3 }).default(3).describe('Times that they occur in a row.'),
    answerMark: optional(text('Answer:')).describe(
      'What precedes each answer that a completion comes to while it thinks, up to the next white space. Default ' +
        'none: only what repeats counts.',
    ),
    sameAnswers: integer({ min: 2, max: 64, example: 2 })
      .default(2)
      .describe('Answers in a row that are the same before one is forced.'),
  }),
  uses: ({ forcedText }) => [writtenText(forcedText)],
  note: () => 'held-out completions are not made to answer; compare evaluations with those of a run without it',
  create: ({ forcedText, length, times, answerMark, sameAnswers }): TokenControl => ({
    after(tokens, _item, seen) {
      const isStuck =
        repeats(tokens, length, times) || (answerMark !== undefined && agrees(seen.text(), answerMark, sameAnswers));
      if (!isStuck || seen.text().includes(forcedText)) return undefined;
      return [...seen.tokensOf(forcedText)];
    },
  }),
});

/** Whether the last answers after the mark are the same; one that white space does not close is still being written. */
function agrees(written: string, mark: string, count: number): boolean {
  const closed = written
    .split(mark)
    .slice(1)
    .flatMap((behind) => /^\s*(\S+)\s/.exec(behind)?.[1] ?? []);
  const last = closed.slice(-count);
  return last.length === count && last.every((answer) => answer === last[0]);
}
