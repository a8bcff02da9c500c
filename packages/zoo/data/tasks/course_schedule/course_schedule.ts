/**
 * Whether courses can be put into an order in which each follows those that come before it: `ab` says that a
 * comes before b.
 *
 * Half of them can. Both kinds are drawn alike, up to the last pair: it keeps the order that the others have, or it
 * closes a circle of three courses or more.
 */
import { judgeTruth } from '../../judging/judge.ts';
import { LETTERS, lineTask, type Rng, rotated, truthMisses } from '../../kit.ts';
import { type CourseScheduleKnobs, courseScheduleCard } from './card.ts';

export type CourseScheduleItem = { readonly pairs: readonly string[] };

/** Draws, at most, until the last pair is as it is meant to be. */
const MOST_DRAWS = 100;

/** Takes courses, each as soon as all before it are taken, until there is none more: whether all are. */
function canAllBeTaken({ pairs }: CourseScheduleItem): boolean {
  const before: number[] = LETTERS.split('').map(() => 0); // courses are bits
  let left = 0;
  for (const pair of pairs) {
    const [one, other] = [pair.charCodeAt(0) - 97, pair.charCodeAt(1) - 97];
    (before[other] as number) |= 1 << one;
    left |= (1 << one) | (1 << other);
  }
  for (;;) {
    let still = 0;
    for (let course = 0; course < LETTERS.length; course++) {
      if ((left & (1 << course)) !== 0 && ((before[course] as number) & left) !== 0) still |= 1 << course;
    }
    if (still === 0 || still === left) return still === 0;
    left = still;
  }
}

/** Pairs from an earlier course of an order to a later one; each course is in one of them. */
function drawForward(rng: Rng, order: readonly string[], count: number): Set<string> {
  const pairs = new Set<string>();
  for (let i = 1; i < order.length; i++) pairs.add(`${order[rng.int(0, i - 1)]}${order[i]}`);
  while (pairs.size < count) pairs.add(drawPair(rng, order));
  return pairs;
}

function drawPair(rng: Rng, order: readonly string[]): string {
  const later = rng.int(1, order.length - 1);
  return `${order[rng.int(0, later - 1)]}${order[later]}`;
}

/** Back from the end of a way of two to four pairs to its beginning; undefined where the way is too short. */
function drawBackward(rng: Rng, order: readonly string[], pairs: ReadonlySet<string>): string | undefined {
  const first = rng.pick(order);
  let last = first;
  let steps = 0;
  for (const most = rng.int(2, 4); steps < most; steps++) {
    const ways = [...pairs].filter((pair) => pair[0] === last);
    if (ways.length === 0) break;
    last = rng.pick(ways)[1] as string;
  }
  return steps < 2 ? undefined : `${last}${first}`;
}

export const courseSchedule = lineTask<CourseScheduleItem, CourseScheduleKnobs>(courseScheduleCard, {
  characters: `${LETTERS} >`,
  generate(rng, { courses }) {
    const order = rng.shuffle(LETTERS.slice(0, courses).split(''));
    const isPossible = rng.int(0, 1) === 1;
    const count = rng.int(courses, courses + Math.floor(courses / 4));
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const pairs = drawForward(rng, order, count - 1);
      const last = isPossible ? drawPair(rng, order) : drawBackward(rng, order, pairs);
      if (last === undefined || pairs.has(last)) continue;
      return { pairs: rng.shuffle([...pairs, last]) };
    }
    return null;
  },
  key: ({ pairs }) => `courses|${[...pairs].sort().join(' ')}`,
  twin: ({ pairs }) => ({ pairs: rotated(pairs) }),
  prompt: ({ pairs }) => `plan ${pairs.join(' ')}>`,
  question: ({ pairs }) =>
    `Of each of these pairs of courses the first must be taken before the second: ${pairs.join(', ')}. Can all courses be taken? Answer yes or no.`,
  oracle: (item) => (canAllBeTaken(item) ? 'yes' : 'no'),
  verify: (item, answer) => judgeTruth(answer, canAllBeTaken(item), ['yes', 'no']),
  mutants: (item) => ({ ...truthMisses(canAllBeTaken(item)), 'the pairs': item.pairs.join(' ') }),
  chance: () => 0.5,
  longest: ({ courses }) => ({ prompt: 4 * courses + 6, answer: 3, question: 180 + 5 * courses }),
});
