/**
 * Colours for the vertices of a graph, so that no edge joins two of one colour; as a JSON object, a number from 1 for
 * each vertex. Any such colouring is right.
 *
 * Colours are drawn first, and edges between vertices of different ones.
 */
import { type JsonReading, readJson } from '../../../parsing/json_value.ts';
import { correct, illegal, lineTask, malformed, missing, rotated, trimAscii, wrongValue } from '../../kit.ts';
import { type GraphColorKnobs, graphColorCard } from './card.ts';

type Edge = readonly [number, number];
export type GraphColorItem = { readonly vertices: number; readonly colors: number; readonly edges: readonly Edge[] };

/** The first colouring, vertex by vertex with the least colour that its neighbours leave; undefined where none is left. */
function coloringOf({ vertices, colors, edges }: GraphColorItem): number[] | undefined {
  const earlier = Array.from({ length: vertices }, (): number[] => []);
  for (const [a, b] of edges) earlier[Math.max(a, b)]?.push(Math.min(a, b));
  const coloring: number[] = [];
  const extend = (vertex: number): boolean => {
    if (vertex === vertices) return true;
    // A colour that no vertex has yet is as good as any other such one.
    const most = Math.min(colors, 1 + Math.max(0, ...coloring.slice(0, vertex)));
    for (let color = 1; color <= most; color++) {
      if ((earlier[vertex] as number[]).some((other) => coloring[other] === color)) continue;
      coloring[vertex] = color;
      if (extend(vertex + 1)) return true;
    }
    return false;
  };
  return extend(0) ? coloring.slice(0, vertices) : undefined;
}

const asText = (coloring: readonly number[]): string =>
  `{${coloring.map((color, vertex) => `"${vertex}":${color}`).join(',')}}`;

/** The colour of each vertex; undefined where the value does not say it of each, and of no other. */
function coloringIn(reading: JsonReading & { readonly ok: true }, vertices: number): number[] | undefined {
  const { value } = reading;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const entries = new Map(Object.entries(value));
  if (entries.size !== vertices) return undefined;
  const coloring: number[] = [];
  for (let vertex = 0; vertex < vertices; vertex++) {
    const color = entries.get(String(vertex));
    if (typeof color === 'string' && /^[1-9]$/.test(color)) coloring.push(Number(color));
    else if (typeof color === 'number' && Number.isInteger(color)) coloring.push(color);
    else return undefined;
  }
  return coloring;
}

const written = ([a, b]: Edge): string => `${a}-${b}`;

export const graphColor = lineTask<GraphColorItem, GraphColorKnobs>(graphColorCard, {
  characters: 'color 0123456789->{}":,',
  answers: 'open',
  generate(rng, { vertices, colors, edges }) {
    const drawn = Array.from({ length: vertices }, () => rng.int(1, colors));
    const kept: Edge[] = [];
    const joined = new Set<number>();
    for (let a = 0; a < vertices; a++) {
      for (let b = a + 1; b < vertices; b++) {
        if (drawn[a] === drawn[b] || rng.int(0, 99) >= edges) continue;
        kept.push(rng.int(0, 1) === 0 ? [a, b] : [b, a]);
        joined.add(a).add(b);
      }
    }
    // The prompt names each vertex by its edges.
    return joined.size < vertices ? null : { vertices, colors, edges: rng.shuffle(kept) };
  },
  key: ({ colors, edges }) => {
    const sorted = edges.map(([a, b]) => written([Math.min(a, b), Math.max(a, b)])).sort();
    return `color|${colors}|${sorted.join(' ')}`;
  },
  twin: (item) => ({ ...item, edges: rotated(item.edges) }),
  prompt: ({ colors, edges }) => `color ${colors} ${edges.map(written).join(' ')}>`,
  question: ({ vertices, colors, edges }) =>
    `Give each of the vertices 0 to ${vertices - 1} a colour from 1 to ${colors}, so that no two that an edge joins have the same. Edges: ${edges.map(written).join(', ')}. Answer with a JSON object such as {"0":1,"1":2}, all vertices in it.`,
  oracle: (item) => asText(coloringOf(item) as number[]), // it was drawn with a colouring
  verify({ vertices, colors, edges }, answer) {
    const reading = readJson(answer);
    if (!reading.ok) return trimAscii(answer) === '' ? missing('the answer is empty') : malformed(reading.reason);
    const coloring = coloringIn(reading, vertices);
    if (coloring === undefined) return malformed('not a whole number for each vertex');
    if (!coloring.every((color) => color >= 1 && color <= colors)) return illegal('a colour that there is not');
    const canonical = coloring.join(' ');
    return edges.some(([a, b]) => coloring[a] === coloring[b])
      ? { ...wrongValue('an edge joins two vertices of one colour'), canonical }
      : correct('no edge joins two of one colour', canonical);
  },
  mutants(item) {
    const coloring = coloringOf(item) as number[]; // it was drawn with a colouring
    const right = asText(coloring);
    const [a, b] = item.edges[0] as Edge;
    const withFirst = (color: string): string => right.replace(/^\{"0":[0-9]/, `{"0":${color}`);
    return {
      'two neighbours alike': asText(coloring.map((color, vertex) => (vertex === a ? (coloring[b] as number) : color))),
      'all alike': asText(coloring.map(() => 1)),
      'a vertex left out': asText(coloring.slice(0, -1)),
      'a vertex more': asText([...coloring, 1]),
      'a vertex twice': right.replace('{', `{"0":${coloring[0]},`),
      'a colour too many': withFirst(String(item.colors + 1)),
      'colour zero': withFirst('0'),
      'a truth value': withFirst('true'),
      'no value': withFirst('null'),
      'half a colour': withFirst(`${coloring[0]}.5`),
      'as a list': `[${coloring.join(',')}]`,
      'an empty object': '{}',
      'given twice': right + right,
      'comma behind it': right.replace('}', ',}'),
    };
  },
  /** Counted: colours spread evenly over the vertices. */
  chance({ vertices, colors, edges }) {
    if (vertices > colors + 3) return 0.15;
    return vertices === colors + 3 ? 0.25 : edges < 80 ? 0.4 : 0.2;
  },
  longest: ({ vertices, colors }) => {
    const pairs = Math.floor((vertices * vertices * (colors - 1)) / (2 * colors));
    return { prompt: 8 + 6 * pairs, answer: 7 * vertices + 2, question: 280 + 7 * pairs };
  },
});
