import { z } from 'zod';
import { choice, type EvaluationFigure, keys, meanOf, meanOverProblems, method } from '../kit.ts';

const WORDS = {
  verify: ['check', 'verify', 'confirm', 'let me see if', 'double-check'],
  backtrack: ['wait', 'back', 'instead', 'that does not work', "that doesn't work", 'try again', 'another way'],
  subgoal: ['first', 'next', 'step', 'then i', 'the goal is'],
  backward: ['work backwards', 'working backwards', 'from the target', 'to get', 'to reach'],
} as const;

/** Words show it, so this is for a policy that writes English; `words` names those of another notation. */
export const mBehaviour = method({
  id: 'm-behaviour',
  about: {
    does: 'Reports the share of sampled answers that verify, go back, set subgoals or work backwards.',
    names: ['cognitive behaviours', 'Four Habits'],
    formula: 'share of the samples that have a word of the behaviour, as a whole word; mean over problems',
    source: '2503.01307',
    certainty: 'after the paper',
    when: 'For reasoning in words; in a closed vocabulary without these words it is 0.',
  },
  options: keys({
    show: choice(['verify', 'backtrack', 'subgoal', 'backward']).default('verify').describe('Which one.'),
    words: z
      .array(z.string().min(1), { error: 'must be a list of texts; for example [check, verify]' })
      .min(1, { error: 'names no word; for example [check, verify]' })
      .optional()
      .describe('What tells it, in the place of English words. Default: some of English.'),
  }),
  isRepeatable: true,
  create: ({ show, words }): EvaluationFigure => {
    const pattern = patternOf(words ?? WORDS[show]);
    return {
      name: `behaviour/${show}`,
      of: (problems) =>
        meanOverProblems(
          problems.map(({ answers }) => meanOf(answers.map(({ text }) => Number(pattern.test(text))))),
          problems.map(({ weight }) => weight),
        ),
    };
  },
});

/** Any of the words, where no letter is before or after it. */
function patternOf(words: readonly string[]): RegExp {
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<!\\p{L})(?:${escaped.join('|')})(?!\\p{L})`, 'iu');
}
