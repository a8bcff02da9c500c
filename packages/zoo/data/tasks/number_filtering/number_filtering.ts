/**
 * The numbers that are kept, in the order in which they are given.
 *
 * `drop <5` leaves what is 5 or more. Where nothing is left the answer is `none`.
 */
import { judgeList, judgeNumbers } from '../../judging/judge.ts';
import { lineTask, listMisses } from '../../kit.ts';
import { type NumberFilteringKnobs, numberFilteringCard } from './card.ts';

export type NumberFilteringItem = {
  readonly verb: 'keep' | 'drop';
  readonly relation: '<' | '>';
  readonly bound: number;
  readonly numbers: readonly number[];
};

function left({ verb, relation, bound, numbers }: NumberFilteringItem): string[] {
  const isMeant = (number: number): boolean => (relation === '<' ? number < bound : number > bound);
  return numbers.filter((number) => isMeant(number) === (verb === 'keep')).map(String);
}

export const numberFiltering = lineTask<NumberFilteringItem, NumberFilteringKnobs>(numberFilteringCard, {
  characters: 'kepdrone 0123456789<>:',
  generate(rng, { numbers: most, max }) {
    const numbers = Array.from({ length: rng.int(3, most) }, () => rng.int(0, max));
    const item = {
      verb: rng.pick(['keep', 'drop'] as const),
      relation: rng.pick(['<', '>'] as const),
      bound: rng.int(1, max - 1),
      numbers,
    };
    const count = left(item).length;
    // Nothing and everything are answers that need no look at single numbers.
    return (count === 0 || count === numbers.length) && rng.int(0, 3) > 0 ? null : item;
  },
  key: ({ verb, relation, bound, numbers }) => `filter|${verb}|${relation}|${bound}|${numbers.join(',')}`,
  prompt: ({ verb, relation, bound, numbers }) => `${verb} ${relation}${bound}: ${numbers.join(' ')}>`,
  question: ({ verb, relation, bound, numbers }) =>
    `${verb === 'keep' ? 'Keep' : 'Drop'} the numbers ${relation === '<' ? 'below' : 'above'} ${bound} of ${numbers.join(', ')}. Which are left, in their order? Answer none if there are none.`,
  separator: ' ',
  oracle: (item) => left(item).join(' ') || 'none',
  verify(item, answer) {
    const right = left(item);
    return right.length > 0 ? judgeNumbers(answer, right.map(Number)) : judgeList(answer, ['none']);
  },
  mutants: (item, _knobs, rng) => {
    const right = left(item);
    const others = item.numbers.map(String).filter((number) => !right.includes(number));
    return {
      ...(right.length > 0
        ? listMisses(right, ' ', rng)
        : { 'an empty list': '[]', 'every number': item.numbers.join(' ') }),
      ...(others.length > 0 && { 'the others': others.join(' ') }),
      'the bound': `${item.bound} ${item.bound}`,
      'with the bound': `${right.join(' ')} ${item.relation}${item.bound}`,
    };
  },
  /** `none` is asked seldom, and single numbers are many. */
  chance: () => 0.12,
  longest: ({ numbers, max }) => ({
    prompt: 9 + (numbers + 1) * (String(max).length + 1),
    answer: Math.max(4, numbers * (String(max).length + 1)),
    question: 120 + (numbers + 1) * (String(max).length + 2),
  }),
});
