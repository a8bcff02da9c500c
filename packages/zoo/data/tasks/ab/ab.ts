/**
 * A program of the tokens A#, #A, B# and #B. Two neighbours whose # face each other are rewritten, until none do: the
 * same letters vanish, others change places.
 *
 * Where two such pairs are, neither touches the other: whatever the order, the end is the same.
 */
import { judgeList } from '../../judging/judge.ts';
import { lineTask, listMisses } from '../../kit.ts';
import { type AbKnobs, abCard } from './card.ts';

export type AbItem = { readonly program: readonly string[] };

const TOKENS = ['A#', '#A', 'B#', '#B'] as const;

/**
 * Each token that looks left passes those that look right and wait before it, the last one first, and vanishes with one
 * of its letter.
 */
function rewritten(program: readonly string[]): string[] {
  const left: string[] = [];
  const waiting: string[] = [];
  for (const token of program) {
    if (token.endsWith('#')) {
      waiting.push(token);
      continue;
    }
    const partner = waiting.lastIndexOf(`${token[1]}#`);
    if (partner >= 0) waiting.splice(partner, 1);
    else left.push(token);
  }
  return [...left, ...waiting];
}

export const ab = lineTask<AbItem, AbKnobs>(abCard, {
  characters: 'ab AB#>',
  generate(rng, { length }) {
    const program = Array.from({ length: rng.int(3, length) }, () => rng.pick(TOKENS));
    const end = rewritten(program);
    return end.length === 0 || end.join() === program.join() ? null : { program };
  },
  key: ({ program }) => `ab|${program.join(' ')}`,
  prompt: ({ program }) => `ab ${program.join(' ')}>`,
  question: ({ program }) =>
    `A program is a row of the tokens A#, #A, B# and #B. Two neighbours whose # face each other are rewritten: ` +
    `A# #A and B# #B vanish, A# #B becomes #B A#, and B# #A becomes #A B#. ` +
    `Rewrite ${program.join(' ')} until no rule applies, and give the tokens that are left.`,
  separator: ' ',
  oracle: ({ program }) => rewritten(program).join(' '),
  verify: ({ program }, answer) => judgeList(answer, rewritten(program)),
  mutants: ({ program }, _knobs, rng) => {
    const right = rewritten(program);
    return {
      ...listMisses(right, ' ', rng),
      'left as given': program.join(' '),
      'in small letters': right.join(' ').toLowerCase(),
      'tokens joined': right.length > 1 ? right.join('') : 'A',
      'a pair that vanishes behind it': `${right.join(' ')} A# #A`,
    };
  },
  chance: ({ length }) => (length <= 5 ? 0.08 : 0.05),
  longest: ({ length }) => ({ prompt: 3 * length + 3, answer: 3 * length, question: 290 + 3 * length }),
});
