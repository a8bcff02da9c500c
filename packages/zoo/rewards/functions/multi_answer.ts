/**
 * One completion lists several candidates, the best first, and is paid for how early the first right one comes and for how
 * few they are. arXiv:2508.05731 (AEPO).
 *
 *   R = 1/√(N·k) where the k-th of N candidates is the first right one, −1/N where none is, −1 for what is no such list
 *
 * A sweep (three numbers or more in equal steps), a candidate that is there twice and more than `most` are no such list.
 * Each candidate is judged by the task's own verifier. Evaluation judges completions as they are: a list is no answer there.
 */
import { integer, options, text } from '../../../../src/options/keys.ts';
import { readNumber } from '../../../../src/parsing/number.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { answerText, withAnswer } from '../../../../src/rewards/answer_text.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';

const NO_LIST = -1;
const SHORTEST_SWEEP = 3;

export const multiAnswerReward = defineReward({
  does: 'Of several candidates in one answer, pays how early the first right one comes and how few they are: 1/sqrt(N*k); -1/N where none is right, -1 for a sweep or no list.',
  options: options({
    separator: text(',').default(',').describe('What separates two candidates.'),
    most: integer({ min: 1, max: 64, example: 8 }).default(8).describe('Most candidates.'),
  }),
  create: ({ separator, most }) => ({
    name: 'multi-answer',
    range: [-1, 1],
    score: ({ completions, finishReasons, judge, verdicts }) =>
      completions.map((completion, row) => {
        if (verdicts[row].score === null) return null;
        if (finishReasons[row] === 'length') return NO_LIST;
        const candidates = candidatesOf(answerText(completion), separator, most);
        if (candidates === undefined) return NO_LIST;
        const isRight = (candidate: string): boolean => {
          const verdict = candidates.length === 1 ? verdicts[row] : judge?.(row, withAnswer(completion, candidate));
          return verdict?.score === 1;
        };
        const first = candidates.findIndex(isRight);
        return first < 0 ? -1 / candidates.length : 1 / Math.sqrt(candidates.length * (first + 1));
      }),
  }),
});

/** Undefined for what is no list of candidates. */
function candidatesOf(answer: string, separator: string, most: number): string[] | undefined {
  const candidates = answer.split(separator).map(trimAscii);
  const isList = candidates.length <= most && candidates.every((candidate) => candidate !== '');
  return isList && new Set(candidates).size === candidates.length && !isSweep(candidates) ? candidates : undefined;
}

/** Numbers in equal steps: guesses that cover a range. */
function isSweep(candidates: readonly string[]): boolean {
  if (candidates.length < SHORTEST_SWEEP) return false;
  const numbers = candidates.map((candidate) => {
    const read = readNumber(candidate);
    return read.ok ? read.value.valueOf() : Number.NaN;
  });
  const steps = numbers.slice(1).map((number, i) => number - numbers[i]);
  return steps.every((step) => step === steps[0]);
}
