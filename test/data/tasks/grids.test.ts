import { describe, expect, it } from 'vitest';
import { applyOperation } from '../../../src/data/tasks/manipulate_matrix/operations.ts';
import { describeTasks } from '../../support/task_rules.ts';
import { GRIDS } from '../second_checkers/grids.ts';

describeTasks(GRIDS, {
  rotate_matrix: ['ace93914', '11d8def6', 'fd3c374a', 'efea640f'],
  spiral_matrix: ['d0e31165', '1e99e0c8', 'eb2bf15a', '2548f883'],
  binary_matrix: ['5ccbf661', '12c5770e', '59df972e', '8eba8225'],
  rotten_oranges: ['4c0a275e', '1cde7ae0', '0e82ddfc', '8eeaf6eb'],
  largest_island: ['1767c453', 'd9dc9604', 'dc2d0cef', '0f55d1dc'],
  game_of_life: ['5e9be2c8', '01926e31', 'c2d78bdb', '4b246f50'],
  manipulate_matrix: ['f7f173fa', 'a4884b4d', '9bf5df4d', 'c5a68e35'],
});

describe('manipulate_matrix: 123/456', () => {
  it.each(
    /* biome-ignore format: a list */ [
      ['r', '41/52/63'], ['h', '321/654'], ['v', '456/123'], ['d', '14/25/36'], ['c', '63/52/41'], ['m30', '120/456'],
      ['z3', '120/450'], ['k22', '456'], ['l13', '123/456'], ['p2', '123'], ['q2', '13/46'],
    ],
  )('%s gives %s', (code, expected) => {
    expect(applyOperation(['123', '456'], code).join('/')).toBe(expected);
  });
});
