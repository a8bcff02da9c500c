/**
 * A grid of lights, 1 for on. Pressing a cell changes it and those above, below, left and right of it. The cells to press,
 * so that all lights are off, are asked by row and column, in any order. Each set of cells that does it is right.
 */
import { readMoves } from '../../../parsing/moves.ts';
import type { NearMisses, Place, Rows } from '../../kit.ts';
import { correct, drawSize, illegal, inLine, inLines, lineTask, malformed, missing, wrongValue } from '../../kit.ts';
import { type LightsOutKnobs, lightsOutCard } from './card.ts';

export type LightsOutItem = { readonly rows: Rows };

/** In smaller grids there is nothing to find. */
const FEWEST_CELLS = 6;

const nameOf = ([row, column]: Place): string => `${row + 1}${column + 1}`;
const placeOf = (name: string): Place => [Number(name[0]) - 1, Number(name[1]) - 1];

const NAMES = new Map<string, readonly string[]>();

/** The names of all cells of a grid of this size. */
function namesOf(rows: Rows): readonly string[] {
  const [height, width] = [rows.length, (rows[0] as string).length];
  const known = NAMES.get(`${height}x${width}`);
  if (known !== undefined) return known;
  const names = Array.from({ length: height * width }, (_, i) => nameOf([Math.floor(i / width), i % width]));
  NAMES.set(`${height}x${width}`, names);
  return names;
}

/** Lights as bits, a number for each row; the first column is bit 0. */
const bitsOf = (rows: Rows): number[] =>
  rows.map((row) => row.split('').reduce((bits, light, column) => bits | (Number(light) << column), 0));

/** Changes what pressing cells of a row changes in a grid of `width` columns. @param pressed  as bits */
function press(lights: number[], row: number, pressed: number, width: number): void {
  lights[row] = (lights[row] as number) ^ ((pressed ^ (pressed << 1) ^ (pressed >> 1)) & ((1 << width) - 1));
  if (row > 0) lights[row - 1] = (lights[row - 1] as number) ^ pressed;
  if (row + 1 < lights.length) lights[row + 1] = (lights[row + 1] as number) ^ pressed;
}

/**
 * All sets of cells that put out the lights, the smallest first. What is pressed in the first row decides the rest: a light
 * in a row is put out from the row below.
 */
function solutionsOf({ rows }: LightsOutItem): string[][] {
  const width = (rows[0] as string).length;
  const solutions: string[][] = [];
  for (let first = 0; first < 1 << width; first++) {
    const lights = bitsOf(rows);
    const cells: string[] = [];
    for (let row = 0; row < rows.length; row++) {
      const pressed = row === 0 ? first : (lights[row - 1] as number);
      press(lights, row, pressed, width);
      for (let column = 0; column < width; column++) if ((pressed >> column) & 1) cells.push(nameOf([row, column]));
    }
    if (lights.at(-1) === 0) solutions.push(cells);
  }
  return solutions.sort((a, b) => a.length - b.length || (a.join() < b.join() ? -1 : 1));
}

const fewest = (item: LightsOutItem): string[] => solutionsOf(item)[0] as string[];

export const lightsOut = lineTask<LightsOutItem, LightsOutKnobs>(lightsOutCard, {
  characters: 'lights 0123456789/>',
  answers: 'open',
  generate(rng, { size, presses }) {
    const [height, width] = drawSize(rng, 2, size);
    if (height * width < FEWEST_CELLS) return null;
    const lights = Array.from({ length: height }, () => 0);
    const cells = rng.shuffle(Array.from({ length: height * width }, (_, i) => i));
    for (const cell of cells.slice(0, rng.int(1, Math.min(presses, Math.floor(cells.length / 2)))))
      press(lights, Math.floor(cell / width), 1 << (cell % width), width);
    const rows = lights.map((bits) => Array.from({ length: width }, (_, column) => (bits >> column) & 1).join(''));
    return rows.every((row) => !row.includes('1')) ? null : { rows };
  },
  key: ({ rows }) => `lights|${inLine(rows)}`,
  prompt: ({ rows }) => `lights ${inLine(rows)}>`,
  question: ({ rows }) =>
    `In this grid of lights, 1 is on and 0 is off:\n${inLines(rows)}\nPressing a cell changes it and the cells above, below, left and right of it. ` +
    'Which cells put out all lights? Write each as its row and its column, such as 12 for the second cell of the first row, separated by spaces.',
  oracle: (item) => fewest(item).join(' '),
  *solutions(item) {
    for (const cells of solutionsOf(item)) yield cells.join(' ');
  },
  verify({ rows }, answer) {
    const reading = readMoves(answer, namesOf(rows));
    if (!reading.ok) return answer.trim() === '' ? missing('the answer is empty') : malformed(reading.reason);
    const pressed = new Set(reading.moves);
    if (pressed.size < reading.moves.length) return illegal('a cell is pressed twice');
    const lights = bitsOf(rows);
    for (const name of pressed) {
      const [row, column] = placeOf(name);
      press(lights, row, 1 << column, (rows[0] as string).length);
    }
    const canonical = [...pressed].sort().join(' ');
    return lights.every((bits) => bits === 0)
      ? correct('all lights are off', canonical)
      : { ...wrongValue('a light is on'), canonical };
  },
  mutants(item): NearMisses {
    const { rows } = item;
    const all = solutionsOf(item).map((cells) => cells.join(' '));
    const cells = fewest(item);
    const right = cells.join(' ');
    const [first = ''] = cells;
    const unused = namesOf(rows).find((name) => !cells.includes(name));
    const [row, column] = placeOf(first);
    const near = nameOf([row, column === 0 ? 1 : column - 1]);
    const texts: NearMisses = {
      'a cell left out': cells.slice(1).join(' '),
      ...(unused !== undefined && { 'a cell more': `${right} ${unused}` }),
      'a cell twice': `${right} ${first}`,
      'a cell thrice': `${right} ${first} ${first}`,
      'a cell beside it': [near, ...cells.slice(1)].filter((name, i, names) => names.indexOf(name) === i).join(' '),
      'all cells that are on': placesOfLights(rows).join(' '),
      'row and column exchanged': cells.map((name) => `${name[1]}${name[0]}`).join(' '),
      'counted from 0': cells.map((name) => `${Number(name[0]) - 1}${Number(name[1]) - 1}`).join(' '),
      'cells joined': cells.join(''),
      'separator behind it': `${right},`,
      'the grid': inLine(rows),
    };
    const isRight = (text: string): boolean => all.includes(text.split(' ').sort().join(' '));
    return Object.fromEntries(Object.entries(texts).filter(([, text]) => !isRight(text)));
  },
  chance: ({ size, presses }) => (presses <= 2 ? 0.08 : size <= 3 ? 0.06 : 0.03),
  longest: ({ size }) => ({
    prompt: 8 + size * (size + 1),
    answer: 3 * size * size,
    question: 320 + size * (size + 1),
  }),
});

const placesOfLights = (rows: Rows): string[] =>
  namesOf(rows).filter((name) => {
    const [row, column] = placeOf(name);
    return rows[row]?.[column] === '1';
  });
