/**
 * An order of courses in which each follows those that come before it: `12` says that 1 comes before 2. Any such
 * order is right.
 */
import { readMoves } from '../../../parsing/moves.ts';
import { correct, illegal, lineTask, malformed, missing, rotated, wrongValue } from '../../kit.ts';
import { type TopologicalOrderKnobs, topologicalOrderCard } from './card.ts';

export type TopologicalOrderItem = { readonly courses: number; readonly pairs: readonly string[] };

const namesOf = ({ courses }: TopologicalOrderItem): string[] =>
  Array.from({ length: courses }, (_, i) => String(i + 1));

/** Takes the first course that may be taken, again and again. */
function orderOf(item: TopologicalOrderItem): string {
  let left = namesOf(item);
  let order = '';
  while (left.length > 0) {
    const next = left.find(
      (name) => !item.pairs.some(([before, after]) => after === name && left.includes(before as string)),
    ) as string;
    order += next;
    left = left.filter((name) => name !== next);
  }
  return order;
}

export const topologicalOrder = lineTask<TopologicalOrderItem, TopologicalOrderKnobs>(topologicalOrderCard, {
  characters: 'topo 123456789>',
  answers: 'open',
  generate(rng, { courses }) {
    const order = rng.shuffle(Array.from({ length: courses }, (_, i) => String(i + 1)));
    const pairs = new Set<string>();
    // Each course is in some pair, so that the prompt names them all.
    for (let i = 1; i < courses; i++) pairs.add(`${order[rng.int(0, i - 1)]}${order[i]}`);
    for (let extra = rng.int(0, courses); extra > 0; extra--) {
      const i = rng.int(1, courses - 1);
      pairs.add(`${order[rng.int(0, i - 1)]}${order[i]}`);
    }
    return { courses, pairs: rng.shuffle([...pairs]) };
  },
  key: ({ pairs }) => `topo|${[...pairs].sort().join(' ')}`,
  twin: ({ courses, pairs }) => ({ courses, pairs: rotated(pairs) }),
  prompt: ({ pairs }) => `topo ${pairs.join(' ')}>`,
  question: ({ courses, pairs }) =>
    `Put the courses 1 to ${courses} into an order. Of each of these pairs the first comes before the second: ${pairs.join(', ')}.`,
  oracle: orderOf,
  verify(item, answer) {
    const names = namesOf(item);
    const reading = readMoves(answer, names);
    if (!reading.ok) return answer.trim() === '' ? missing('the answer is empty') : malformed('not a row of courses');
    const { moves } = reading;
    if (moves.length !== names.length || new Set(moves).size !== names.length) return illegal('not each course once');
    const isKept = item.pairs.every(
      ([before, after]) => moves.indexOf(before as string) < moves.indexOf(after as string),
    );
    return isKept
      ? correct('an order of the courses', moves.join(''))
      : wrongValue('a course precedes one that it needs');
  },
  mutants: (item) => {
    const right = orderOf(item);
    return {
      'in the opposite order': right.split('').reverse().join(''),
      'course dropped': right.slice(1),
      'course doubled': right + right[0],
      'given twice': right + right,
      'course that is not there': `${right.slice(0, -1)}0`,
      'the pairs': item.pairs.join(' '),
    };
  },
  /** Counted: pairs leave many orders, but one order fits few problems. */
  chance: ({ courses }) => (courses <= 4 ? 0.25 : 0.12),
  longest: ({ courses }) => ({ prompt: 6 * courses + 6, answer: courses, question: 170 + 8 * courses }),
});
