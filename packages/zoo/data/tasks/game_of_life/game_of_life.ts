/**
 * The game of life on a torus: a cell lives on with two or three living neighbours of eight, and is born with three.
 *
 * Only the whole board counts: of most boards, nearly all cells are dead in the end.
 */
import { judgeGrid } from '../../judging/judge.ts';
import { drawRows, drawSize, gridMisses, inLine, inLines, lineTask, type Rows } from '../../kit.ts';
import { remembered } from '../../remembered.ts';
import { type GameOfLifeKnobs, gameOfLifeCard } from './card.ts';

export type GameOfLifeItem = { readonly steps: number; readonly rows: Rows };

function next(rows: Rows): Rows {
  const [height, width] = [rows.length, (rows[0] as string).length];
  const isAlive = (row: number, column: number): boolean =>
    rows[(row + height) % height]?.[(column + width) % width] === '1';
  return rows.map((text, row) =>
    text
      .split('')
      .map((_, column) => {
        let alive = 0;
        for (let dy = -1; dy <= 1; dy++) {
          for (let dx = -1; dx <= 1; dx++) if ((dy !== 0 || dx !== 0) && isAlive(row + dy, column + dx)) alive++;
        }
        return alive === 3 || (alive === 2 && isAlive(row, column)) ? '1' : '0';
      })
      .join(''),
  );
}

const after = remembered(({ steps, rows }: GameOfLifeItem): Rows => {
  let now = rows;
  for (let step = 0; step < steps; step++) now = next(now);
  return now;
});

export const gameOfLife = lineTask<GameOfLifeItem, GameOfLifeKnobs>(gameOfLifeCard, {
  characters: 'life 0123456789/>',
  generate(rng, { size, steps }) {
    const [height, width] = drawSize(rng, 3, size);
    const density = rng.int(30, 60);
    const item = {
      steps: rng.int(1, steps),
      rows: drawRows(height, width, () => (rng.int(0, 99) < density ? '1' : '0')),
    };
    // A board that dies out, or stays as it is, is one answer to many problems.
    const end = inLine(after(item));
    return !end.includes('1') || end === inLine(item.rows) ? null : item;
  },
  key: ({ steps, rows }) => `life|${steps}|${inLine(rows)}`,
  prompt: ({ steps, rows }) => `life ${steps} ${inLine(rows)}>`,
  question: ({ steps, rows }) =>
    `Play ${steps === 1 ? 'one step' : `${steps} steps`} of the game of life on this board, whose edges meet the opposite ones. 1 is alive:\n${inLines(rows)}\nGive the board in the same form, a line for each row.`,
  separator: '',
  oracle: (item) => inLine(after(item)),
  verify(item, answer) {
    const shape = { rows: item.rows.length, columns: (item.rows[0] as string).length, between: ['\n', '/'] as const };
    return judgeGrid(
      answer,
      after(item).map((row) => row.split('')),
      shape,
    );
  },
  mutants: (item) => ({
    ...gridMisses(after(item), item.rows, '0'),
    'all dead': inLine(item.rows.map((row) => row.replace(/1/g, '0'))),
  }),
  /** Small boards end full where their edges meet twice. */
  chance: ({ size }) => (size <= 4 ? 0.15 : 0.08),
  longest: ({ size }) => ({
    prompt: size * (size + 1) + 8,
    answer: size * (size + 1),
    question: 210 + size * (size + 1),
  }),
});
