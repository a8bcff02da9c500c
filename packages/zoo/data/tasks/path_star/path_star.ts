/**
 * The way from the middle of a star to the end of one of its arms, which are alike long. Edges are given in an order by
 * chance, and from either end: the first step shows only from the other end of the way.
 *
 * @see Bachmann and Nagarajan, "The pitfalls of next-token prediction", arXiv:2403.06963
 */
import { readMoves } from '../../../parsing/moves.ts';
import { correct, LETTERS, lineTask, malformed, missing, trimAscii, wrongValue } from '../../kit.ts';
import { type PathStarKnobs, pathStarCard } from './card.ts';

/** `way` are the nodes from the middle to the end that is asked for. */
export type PathStarItem = { readonly edges: readonly string[]; readonly way: string };

const NODES = (LETTERS + LETTERS.toUpperCase()).split('');

/** Both ends of the way. */
const endsOf = ({ way }: PathStarItem): string => `${way[0]}${way[way.length - 1]}`;

export const pathStar = lineTask<PathStarItem, PathStarKnobs>(pathStarCard, {
  characters: `${NODES.join('')} :>`,
  generate(rng, { arms, length }) {
    const [middle = '', ...nodes] = rng.shuffle([...NODES]).slice(0, 1 + arms * length);
    const ways = Array.from(
      { length: arms },
      (_, arm) => middle + nodes.slice(arm * length, (arm + 1) * length).join(''),
    );
    const edges = ways.flatMap((way) =>
      Array.from({ length }, (_, i) => {
        const [one, other] = [way[i] as string, way[i + 1] as string];
        return rng.int(0, 1) === 0 ? one + other : other + one;
      }),
    );
    return { edges: rng.shuffle(edges), way: ways[0] as string };
  },
  key: (item) => {
    const edges = item.edges.map((edge) => edge.split('').sort().join(''));
    return `star|${edges.sort().join(' ')}|${endsOf(item)}`;
  },
  prompt: (item) => `star ${item.edges.join(' ')}: ${endsOf(item)}>`,
  question: (item) =>
    `A graph has these edges, which lead in both directions: ${item.edges.join(', ')}. Which nodes are on the way from ${item.way[0]} to ${endsOf(item)[1]}? Give them in order, both ends too, without spaces.`,
  oracle: ({ way }) => way,
  verify({ way, edges }, answer) {
    const reading = readMoves(answer, [...new Set(edges.join(''))]);
    if (!reading.ok) return trimAscii(answer) === '' ? missing('the answer is empty') : malformed('not a row of nodes');
    const canonical = reading.moves.join('');
    return canonical === way
      ? correct('the way to the end', canonical)
      : { ...wrongValue('not the way to the end'), canonical };
  },
  mutants: ({ way, edges }) => {
    const other = [...new Set(edges.join(''))].find((node) => !way.includes(node)) as string; // there are two arms
    return {
      'the way back': way.split('').reverse().join(''),
      'without the middle': way.slice(1),
      'without the end': way.slice(0, -1),
      'both ends alone': `${way[0]}${way[way.length - 1]}`,
      'a node of another arm': way[0] + other + way.slice(2),
      'beyond the end': way + other,
      'a step back in it': way.slice(0, 2) + way.slice(0, 2) + way.slice(2),
      'given twice': way + way,
      'all edges': edges.join(' '),
    };
  },
  /** Any arm. */
  chance: ({ arms }) => 1 / arms,
  longest: ({ arms, length }) => ({
    prompt: 9 + 3 * arms * length,
    answer: length + 1,
    question: 190 + 4 * arms * length,
  }),
});
