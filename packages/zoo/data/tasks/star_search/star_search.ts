/**
 * The problems of `path_star`, answered by a search: one arm after the other, up to the end that is asked for. A policy
 * that has to give the way at once must guess its first step. Edges are given from the middle outward, and
 * nodes are the first numbers.
 *
 *   prompt  3 9 , 1 5 , … : 1 8 ?      completion  5 ( 4 ( 2 n ) ) , 7 ( 6 ( 8 y , 1 7 6 8
 */
import { correct, trimAscii, wrongValue } from '../../kit.ts';
import { searchTask } from '../../search_task.ts';
import { type PathStarItem, pathStar } from '../path_star/path_star.ts';
import { type StarSearchKnobs, starSearchCard } from './card.ts';

const NODES = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');

/** Nodes as numbers, since two of the letters are marks. */
const spaced = (nodes: string): string =>
  nodes
    .split('')
    .map((node) => String(NODES.indexOf(node) + 1))
    .join(' ');
const endOf = ({ way }: PathStarItem): string => way[way.length - 1] as string;

/** The edges in their order, each from the end that is nearer to the middle. */
function outward({ edges, way }: PathStarItem): readonly string[] {
  const depths = new Map([[way[0], 0]]);
  for (let depth = 0; depths.size <= edges.length; depth++) {
    for (const [one, other] of [...edges, ...edges.map((edge) => `${edge[1]}${edge[0]}`)]) {
      if (depths.get(one) === depth && !depths.has(other)) depths.set(other, depth + 1);
    }
  }
  const depthOf = (node = ''): number => depths.get(node) ?? 0;
  return edges.map((edge) => (depthOf(edge[0]) < depthOf(edge[1]) ? edge : `${edge[1]}${edge[0]}`));
}

/** A state is the way so far. */
export const starSearch = searchTask<PathStarItem, StarSearchKnobs, string>(starSearchCard, {
  family: pathStar.family,
  words: [...NODES.map(spaced), ',', ':'],
  generate(rng, { arms, length }) {
    const item = pathStar.generate(rng, { arms, length }) as PathStarItem; // it draws no other
    const nodes = [...new Set(item.edges.join(''))].sort();
    const renamed = (text: string): string => text.replace(/./g, (node) => NODES[nodes.indexOf(node)] as string);
    return { edges: item.edges.map(renamed), way: renamed(item.way) };
  },
  key: pathStar.key,
  prompt: (item) => `${outward(item).map(spaced).join(' , ')} : ${spaced(item.way[0] + endOf(item))} ?`,
  space(item) {
    const edges = outward(item);
    const expand = (way: string) =>
      edges
        .filter((edge) => edge[0] === way[way.length - 1])
        .map((edge) => ({ text: spaced(edge.slice(1)), to: way + edge[1] }));
    return {
      start: item.way[0] as string,
      expand,
      isSolved: (way) => way.endsWith(endOf(item)),
      isDead: (way) => expand(way).length === 0,
    };
  },
  found: (_, path) => spaced(path[path.length - 1]?.to ?? ''),
  verify({ way }, found) {
    const text = trimAscii(found);
    if (text === spaced(way)) return correct('the way to the end', text);
    return wrongValue('not the way to the end');
  },
  misses: ({ way }) => ({
    'the way back': spaced(way.split('').reverse().join('')),
    'without the middle': spaced(way.slice(1)),
    'without the end': spaced(way.slice(0, -1)),
    'beyond the end': spaced(way + way[0]),
    'without spaces': spaced(way).replaceAll(' ', ''),
    'given twice': `${spaced(way)} , ${spaced(way)}`,
  }),
  /** Any arm. */
  chance: ({ arms }) => 1 / arms,
  longestPrompt: ({ arms, length }) => 3 * arms * length + 3,
});
