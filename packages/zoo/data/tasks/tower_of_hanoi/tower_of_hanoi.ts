/**
 * Disks on pegs, the smallest first: `AAB` has the two smaller ones on A and the largest one on B. All are to come to one
 * peg, one at a time, never a larger one onto a smaller one. A move is the peg it takes the top disk from, and the one it
 * puts it on. Any plan is right that needs at most twice the moves that a whole tower may need.
 *
 *   split       by hash of pegs, disks and goal
 *
 * Moves are carried out: one from an empty peg, one onto a smaller disk, and one after the goal is wrong.
 */
import { readMoves, simulate } from '../../../parsing/moves.ts';
import { correct, illegal, lineTask, malformed, missing, type NearMisses } from '../../kit.ts';
import { type TowerOfHanoiKnobs, towerOfHanoiCard } from './card.ts';

export type TowerOfHanoiItem = {
  readonly pegs: string;
  /** The peg of each disk, the smallest first. */
  readonly disks: string;
  readonly goal: string;
};

const PEGS = 'ABCD';
const FEWEST_DISKS = 3;

const movesOf = (pegs: string): string[] =>
  pegs.split('').flatMap((from) => pegs.split('').flatMap((to) => (from === to ? [] : [from + to])));
const MOVES: Readonly<Record<number, readonly string[]>> = { 3: movesOf('ABC'), 4: movesOf('ABCD') };

/** The disks after a move; undefined where it takes none, or puts it onto a smaller one. */
function moved(disks: string, [from, to]: string): string | undefined {
  const disk = disks.indexOf(from as string);
  const other = disks.indexOf(to as string);
  if (disk < 0 || (other >= 0 && other < disk)) return undefined;
  return disks.slice(0, disk) + to + disks.slice(disk + 1);
}

/** Moves that bring the first `count` disks to a peg: those above a disk make way to a third peg first. */
function plan({ pegs, disks }: TowerOfHanoiItem, count: number, goal: string): string[] {
  if (count === 0) return [];
  const from = disks[count - 1] as string;
  const item = { pegs, disks, goal };
  if (from === goal) return plan(item, count - 1, goal);
  const third = pegs.split('').find((peg) => peg !== from && peg !== goal) as string;
  const away = plan(item, count - 1, third);
  const stacked = third.repeat(count - 1) + disks.slice(count - 1);
  return [...away, from + goal, ...plan({ ...item, disks: stacked }, count - 1, goal)];
}

const planOf = (item: TowerOfHanoiItem): string[] => plan(item, item.disks.length, item.goal);

/** All disks on one peg. */
const tower = ({ disks, goal }: TowerOfHanoiItem): string => goal.repeat(disks.length);

export const towerOfHanoi = lineTask<TowerOfHanoiItem, TowerOfHanoiKnobs>(towerOfHanoiCard, {
  characters: `hanoi ${PEGS}:>`,
  answers: 'open',
  generate(rng, { disks: most, pegs: count }) {
    const pegs = PEGS.slice(0, count);
    const letters = pegs.split('');
    const disks = Array.from({ length: rng.int(FEWEST_DISKS, most) }, () => rng.pick(letters)).join('');
    const goal = rng.pick(letters);
    const item = { pegs, disks, goal };
    return disks === tower(item) ? null : item;
  },
  key: ({ pegs, disks, goal }) => `hanoi|${pegs}|${disks}|${goal}`,
  prompt: ({ pegs, disks, goal }) => `hanoi ${pegs}: ${disks} ${goal}>`,
  question: ({ pegs, disks, goal }) =>
    `There are the pegs ${pegs.split('').join(', ')} and ${disks.length} disks. From the smallest to the largest, the disks are on ${disks.split('').join(', ')}. ` +
    `Move all of them to ${goal}, one at a time, and never a larger one onto a smaller one. ` +
    'Write each move as the peg it goes from and the peg it goes to, such as AB, separated by spaces.',
  oracle: (item) => planOf(item).join(' '),
  verify(item, answer) {
    const { pegs, disks } = item;
    const reading = readMoves(answer, MOVES[pegs.length] as readonly string[]);
    if (!reading.ok) return answer.trim() === '' ? missing('the answer is empty') : malformed(reading.reason);
    const whole = tower(item);
    const end = simulate(reading.moves, {
      start: disks,
      step: moved,
      isGoal: (now) => now === whole,
      most: 2 ** (disks.length + 1),
    });
    return end.outcome === 'goal' ? correct('all disks are there', reading.moves.join(' ')) : illegal(end.reason);
  },
  mutants(item): NearMisses {
    const moves = planOf(item);
    const right = moves.join(' ');
    const [first = ''] = moves;
    const last = moves.at(-1) as string;
    const other = item.pegs.split('').find((peg) => peg !== item.goal) as string;
    const turned = (move: string): string => `${move[1]}${move[0]}`;
    return {
      'last move left out': moves.slice(0, -1).join(' '),
      'first move left out': moves.slice(1).join(' '),
      'behind the goal': `${right} ${turned(last)} ${last}`,
      'given twice': `${right} ${right}`,
      'to another peg': right.replaceAll(item.goal, '?').replaceAll(other, item.goal).replaceAll('?', other),
      'from a peg to itself': `${first[0]}${first[0]} ${right}`,
      'turned around': moves.map(turned).join(' '),
      'in small letters': right.toLowerCase(),
      'a peg that is not there': right.replaceAll(item.goal, 'E'),
      'the disks': item.disks,
    };
  },
  chance: () => 0.02,
  longest: ({ disks }) => ({ prompt: 17 + disks, answer: 3 * 2 ** disks, question: 340 + 3 * disks }),
});
