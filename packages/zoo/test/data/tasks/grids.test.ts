import { describe, expect, it } from 'vitest';
import { applyOperation } from '../../../data/tasks/manipulate_matrix/operations.ts';
import { describeTasks } from '../../support/task_rules.ts';
import { GRIDS } from '../second_checkers/grids.ts';

describeTasks(GRIDS, {
  rotate_matrix: ['778bdc09', '07698beb', '3fbf2022', 'dddb5eaf'],
  spiral_matrix: ['a412c293', '02519ebd', 'e6177d4d', '5b798e41'],
  binary_matrix: ['10ea575d', '6fc39528', '5c67faa6', '5a4ade7e'],
  rotten_oranges: ['73bea7f7', 'db8197d3', '2a444473', '945f86a3'],
  largest_island: ['485e18ad', '4ddd5d30', '5c2c1b7e', '8f12171b'],
  game_of_life: ['6a540afd', 'b178b8ee', 'cc5e7fc6', 'ecdd9853'],
  manipulate_matrix: ['ce9a2a17', '74b83e7d', 'a4213e31', '2c540c5b'],
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
