/**
 * Nim: the player who takes the last thing wins. Bouton (1901): a position is lost to the side that is to move where the heaps
 * have the exclusive or 0, and won elsewhere.
 *
 *   prompt      345>    what is in the heaps; it is won
 *   action      a2      from heap a take 2
 *   observation 142     the heaps after the opponent has taken; ? where that could not be taken
 *   won         with the last thing; lost where the opponent has it
 *   split       by hash of the heaps in order of size
 */
import { correct, environmentTask, LETTERS, type Rng, wrongValue } from '../../kit.ts';
import { type NimKnobs, nimCard } from './card.ts';

/** A digit a heap. */
export type NimItem = { readonly heaps: string };
/** `all`: what was in the heaps at the start. */
export type NimState = NimItem & { readonly all: number };

interface Taking {
  readonly heap: number;
  readonly count: number;
}

const countsOf = (heaps: string): number[] => heaps.split('').map(Number);
const sumOf = (heaps: string): number => countsOf(heaps).reduce((sum, count) => sum + count, 0);
/** 0 where the player who is to move loses against perfect play. */
const exclusiveOr = (heaps: string): number => countsOf(heaps).reduce((all, count) => all ^ count, 0);

function takings(heaps: string): Taking[] {
  return countsOf(heaps).flatMap((most, heap) => Array.from({ length: most }, (_, i) => ({ heap, count: i + 1 })));
}

function after(heaps: string, { heap, count }: Taking): string {
  return countsOf(heaps)
    .map((left, at) => (at === heap ? left - count : left))
    .join('');
}

/** A taking that wins; undefined where none does. */
function winning(heaps: string): Taking | undefined {
  return takings(heaps).find((taking) => exclusiveOr(after(heaps, taking)) === 0);
}

const anyOf = (heaps: string, rng: Rng): Taking => rng.pick(takings(heaps));
const written = ({ heap, count }: Taking): string => `${LETTERS[heap]}${count}`;

export const nim = environmentTask<NimItem, NimState, NimKnobs>(nimCard, {
  characters: `${LETTERS.slice(0, 5)}0123456789>?`,
  generate(rng, { heaps, most }) {
    const drawn = Array.from({ length: heaps }, () => rng.int(1, most)).join('');
    return exclusiveOr(drawn) === 0 ? null : { heaps: drawn };
  },
  key: ({ heaps }) => `nim|${heaps}`,
  splitKey: ({ heaps }) => `nim|${heaps.split('').sort().join('')}`,
  prompt: ({ heaps }) => `${heaps}>`,
  question: ({ heaps }) =>
    `There are ${heaps.length} heaps, a to ${LETTERS[heaps.length - 1]}, of ${heaps.split('').join(', ')} things. We take ` +
    'things in turn, each time any number from one heap; the player who takes the last thing wins. Write a heap and a number, ' +
    'such as a2, and I show what the heaps hold after I have taken too.',
  start: ({ heaps }) => ({ heaps, all: sumOf(heaps) }),
  step(state, action, { opponent }, rng) {
    const { heaps, all } = state;
    const taking = { heap: LETTERS.indexOf(action[0] ?? ' '), count: Number(action[1]) };
    const isTaking = /^[a-e][1-9]$/.test(action) && taking.count <= Number(heaps[taking.heap] ?? 0);
    if (!isTaking) return { state, observation: '?', illegal: true };
    const own = after(heaps, taking);
    if (sumOf(own) === 0)
      return { state: { heaps: own, all }, potential: 1, verdict: correct('took the last thing', own) };
    const answer = opponent === 'perfect' ? (winning(own) ?? anyOf(own, rng)) : anyOf(own, rng);
    const next = { heaps: after(own, answer), all };
    if (sumOf(next.heaps) === 0) {
      return { state: next, potential: 0, verdict: wrongValue('the opponent took the last thing') };
    }
    const potential = exclusiveOr(next.heaps) === 0 ? 0 : 1 - sumOf(next.heaps) / all;
    return { state: next, observation: next.heaps, potential };
  },
  /** From a lost position, which he does not come to, one thing of the largest heap. */
  expert({ heaps }) {
    const heap = heaps.indexOf(
      countsOf(heaps)
        .reduce((most, count) => Math.max(most, count), 0)
        .toString(),
    );
    return written(winning(heaps) ?? { heap, count: 1 });
  },
  random: ({ heaps }, _, rng) => written(anyOf(heaps, rng)),
  mutants: ({ heaps }) => ({
    'from no heap': 'z1\nz1\nz1',
    'every heap at once': heaps
      .split('')
      .map((count, heap) => `${LETTERS[heap]}${count}`)
      .join(''),
    'nothing taken': 'a0\na0\na0',
  }),
  /** Counted, of 20,000 games at random on the easiest level: 54 % against a random opponent, 16 % against a perfect one. */
  chance: ({ opponent }) => (opponent === 'random' ? 0.75 : 0.45),
  longest: ({ heaps, most }) => ({
    turns: Math.ceil((heaps * most) / 2),
    prompt: heaps + 1,
    action: 2,
    observation: heaps,
    question: 360,
  }),
});
