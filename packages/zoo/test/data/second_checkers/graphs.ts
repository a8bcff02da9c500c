/** The tasks of graphs, decided from their prompts by trying everything. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare, wholeNumber } from './notation.ts';

/** One-character pieces, joined or separated by a space or a comma in one way. */
function pieces(answer: string, allowed: string): string[] | undefined {
  const text = bare(answer);
  if (text.length > 4096) return undefined;
  for (const separator of ['', ' ', ',', ', ']) {
    const parts = text.split(separator);
    if (parts.every((part) => part.length === 1 && allowed.includes(part))) return parts;
  }
  return undefined;
}

export const GRAPHS: Readonly<Record<string, SecondChecker>> = {
  shortest_path({ prompt }, answer) {
    const rows = (asked(prompt, /^([SG.#/]+)>$/)[0] as string).split('/');
    const [width, cells] = [rows[0]?.length as number, rows.join('')];
    const at = (cell: number, move: string): number | undefined => {
      const [y, x] = [Math.floor(cell / width), cell % width];
      const [ny, nx] = [y + (move === 'D' ? 1 : move === 'U' ? -1 : 0), x + (move === 'R' ? 1 : move === 'L' ? -1 : 0)];
      const kind = nx < 0 || nx >= width ? undefined : cells[ny * width + nx];
      return ny < 0 || kind === undefined || kind === '#' ? undefined : ny * width + nx;
    };
    // Wave by wave: which cells can be reached in so many moves.
    let wave = new Set([cells.indexOf('S')]);
    const seen = new Set(wave);
    let length = 0;
    const goal = cells.indexOf('G');
    while (wave.size > 0 && !wave.has(goal)) {
      const next = [...wave]
        .flatMap((cell) => [...'UDLR'].map((move) => at(cell, move)))
        .filter((cell) => cell !== undefined && !seen.has(cell));
      wave = new Set(next as number[]);
      for (const cell of wave) seen.add(cell);
      length++;
    }
    if (bare(answer) === 'none') return wave.size === 0;
    const moves = pieces(answer, 'UDLR');
    if (moves === undefined || wave.size === 0 || moves.length !== length) return false;
    let cell: number | undefined = cells.indexOf('S');
    for (const move of moves) cell = cell === undefined ? undefined : at(cell, move);
    return cell === goal;
  },

  topological_order({ prompt }, answer) {
    const pairs = (asked(prompt, /^topo ([1-9 ]+)>$/)[0] as string).split(' ');
    const courses = [...new Set(pairs.join(''))].sort().join('');
    const order = pieces(answer, courses);
    if (order === undefined || [...order].sort().join('') !== courses) return false;
    return pairs.every((pair) => order.join('').search(pair[0] as string) < order.join('').search(pair[1] as string));
  },

  maze({ prompt }, answer) {
    const rows = (asked(prompt, /^maze ([SG.#/]+)>$/)[0] as string).split('/');
    const width = rows[0]?.length as number;
    const cells = [...rows.join('')];
    const distance = cells.map((cell) => (cell === 'S' ? 0 : Number.POSITIVE_INFINITY));
    // Every open place is one further than its nearest neighbour, until nothing changes.
    for (let changed = true; changed; ) {
      changed = false;
      cells.forEach((cell, i) => {
        if (cell === '#') return;
        const beside = [i - width, i + width, i % width > 0 ? i - 1 : -1, i % width < width - 1 ? i + 1 : -1];
        const least = 1 + Math.min(...beside.map((other) => distance[other] ?? Number.POSITIVE_INFINITY));
        if (least >= (distance[i] as number)) return;
        distance[i] = least;
        changed = true;
      });
    }
    return wholeNumber(answer) === BigInt(distance[cells.indexOf('G')] as number);
  },

  course_schedule({ prompt }, answer) {
    const pairs = (asked(prompt, /^plan ([a-z ]+)>$/)[0] as string).split(' ');
    // What comes before what, by way of others too: a course before itself is in a circle.
    const comesBefore = new Set(pairs);
    const courses = [...new Set(pairs.join(''))];
    for (const by of courses) {
      for (const one of courses) {
        if (!comesBefore.has(one + by)) continue;
        for (const other of courses) if (comesBefore.has(by + other)) comesBefore.add(one + other);
      }
    }
    const isPossible = courses.every((course) => !comesBefore.has(course + course));
    return bare(answer).toLowerCase() === (isPossible ? 'yes' : 'no');
  },

  path_star({ prompt }, answer) {
    const [given = '', ends = ''] = asked(prompt, /^star ([A-Za-z ]+): ([A-Za-z]{2})>$/);
    const edges = given.split(' ');
    const nodes = pieces(answer, [...new Set(given.replaceAll(' ', ''))].join(''));
    if (nodes === undefined || nodes[0] !== ends[0] || nodes[nodes.length - 1] !== ends[1]) return false;
    const isStep = (one: string, other: string): boolean => edges.includes(one + other) || edges.includes(other + one);
    return (
      new Set(nodes).size === nodes.length && nodes.every((node, i) => i === 0 || isStep(nodes[i - 1] as string, node))
    );
  },

  graph_color({ prompt }, answer) {
    const [colors = '', given = ''] = asked(prompt, /^color ([0-9]) ([0-9 -]+)>$/);
    const edges = given.split(' ').map((edge) => edge.split('-'));
    const vertices = [...new Set(edges.flat())];
    const fenced = /^```(?:json)?\r?\n([^`]*)\r?\n```$/.exec(bare(answer));
    const text = bare(fenced?.[1] ?? bare(answer));
    if (text.length > 65_536 || !text.startsWith('{')) return false;
    let value: Record<string, unknown>;
    try {
      value = JSON.parse(text) as Record<string, unknown>;
    } catch {
      return false;
    }
    const keys = [...text.matchAll(/("(?:[^"\\]|\\.)*")[ \t\r\n]*:/g)].map(([, key = '']) => JSON.parse(key) as string);
    if (keys.length !== vertices.length || [...keys].sort().join() !== [...vertices].sort().join()) return false;
    const colorOf = (vertex = ''): number => {
      const color = value[vertex];
      if (typeof color === 'number') return color;
      return typeof color === 'string' && color.length === 1 ? '0123456789'.indexOf(color) : -1;
    };
    const allowed = Array.from({ length: Number(colors) }, (_, i) => i + 1);
    return (
      vertices.every((vertex) => allowed.includes(colorOf(vertex))) &&
      edges.every(([one, other]) => colorOf(one) !== colorOf(other))
    );
  },
};
