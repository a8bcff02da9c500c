import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../test/support/processor_time.ts';
import { readGrid, readRows } from '../../parsing/grid.ts';

const SOLUTION = ['4213', '1342', '2134', '3421'];
const SQUARE = { rows: 4, columns: 4 };

/** Whether a text is a 4×4 Latin square with these givens and no digit twice in a box. */
function solves(text: string, isCompact: boolean): boolean {
  const grid = readGrid(text, { ...SQUARE, ...(isCompact && { between: ['\n', '/', ''] }) });
  return grid.ok && grid.cells.every((row, y) => row.every((cell, x) => cell === SOLUTION[y]?.[x]));
}

describe('a sudoku 4___/_3__/_13_/____', () => {
  it.each(
    /* biome-ignore format: a list */ [
      ['4213\n1342\n2134\n3421', true, true], ['4 2 1 3\n1 3 4 2\n2 1 3 4\n3 4 2 1', true, true],
      ['4,2,1,3\r\n1,3,4,2\r\n2,1,3,4\r\n3,4,2,1\n', true, true], ['4213134221343421', false, true],
      ['4213/1342/2134/3421', false, true], ['4___\n_3__\n_13_\n____', false, false],
      ['1234\n3412\n2143\n4321', false, false], ['4213\n1342\n2134', false, false],
      ['4213\n1342\n2134\n3421\n4213', false, false], ['4213\n1342\n2134\n3412', false, false],
      ['4 2 1 3\n1342\n2134\n3421', false, false], ['4213\n\n1342\n2134\n3421', false, false],
      ['421313422134342', false, false], ['', false, false], ['\uff14213\n1342\n2134\n3421', false, false],
    ],
  )('%j solves it in plain style: %s, compact: %s', (text, plain, compact) => {
    expect([solves(text, false), solves(text, true)]).toEqual([plain, compact]);
  });
});

it('cells of several characters are separated, in one way', () => {
  expect(readGrid('10 2\n3 44', { rows: 2, columns: 2 })).toEqual({
    ok: true,
    cells: [
      ['10', '2'],
      ['3', '44'],
    ],
  });
  expect(readGrid('10 2\n3,44', { rows: 2, columns: 2 }).ok).toBe(false);
  expect(readGrid('10  2\n3 44', { rows: 2, columns: 2 }).ok).toBe(false);
});

it.each([
  ['12\n34', ['12', '34']],
  ['1 2\n3 4\n', ['12', '34']],
  ['1, 2\n3, 4', ['12', '34']],
  ['10 2\n3 4', undefined],
  ['12 34', undefined],
  ['1 2\n34', undefined],
  ['1 2\n3  4', undefined],
])('%j has the rows %j', (text, expected) => {
  const reading = readRows(text, { rows: 2, columns: 2 });
  expect(reading.ok ? reading.rows : undefined).toEqual(expected);
});

it('a column of single cells is a grid', () => {
  expect(readGrid('12\n3', { rows: 2, columns: 1 })).toEqual({ ok: true, cells: [['12'], ['3']] });
  expect(readRows('1\n3', { rows: 2, columns: 1 })).toEqual({ ok: true, rows: ['1', '3'] });
});

it('gives up on a long text at once', () => {
  const start = processorMs();
  expect(readGrid('1 '.repeat(500_000), SQUARE).ok).toBe(false);
  expect(processorMs() - start).toBeLessThan(100);
});
