import { describe, expect, it } from 'vitest';
import { registeredTasks } from '../../../../../test/support/everything.ts';
import { bindTask } from '../../../data/index.ts';
import { miniSudoku } from '../../../data/tasks/mini_sudoku/mini_sudoku.ts';
import { nQueens } from '../../../data/tasks/n_queens/n_queens.ts';
import { describeTasks, itScores, scoreOf } from '../../support/task_rules.ts';
import { PUZZLES } from '../second_checkers/puzzles.ts';

describeTasks(PUZZLES, {
  mini_sudoku: ['ee286539', 'dcf4f13c', '9da727f2', '3bfa75fc'],
  futoshiki: ['8f322ab4', 'bf938253', '8c60a695', '1f7c1a1f'],
  kakurasu: ['503d264c', '9635601c', '41d6afa3', '014fc889'],
  n_queens: ['cd528374', '4ed0471e', '8dfece63', 'ffbbfedb'],
  binairo: ['bfc2e776', 'ab5e48bc', '02ec26f0', '92e2a7da'],
});

describe('a sudoku of four rows', () =>
  itScores(miniSudoku, {
    problem: { rows: ['4___', '_3__', '_13_', '____'] },
    1: ['4213134221343421', '4213\n1342\n2134\n3421', '4 2 1 3\n1 3 4 2\n2 1 3 4\n3 4 2 1'],
    // biome-ignore format: a list
    0: [
      '4___\n_3__\n_13_\n____',
      '1234\n3412\n2143\n4321', // a solved square, the givens changed
      '4213\n1342\n2134', '4213\n1342\n2134\n3421\n4213', '4213\n1342\n2134\n3412',
      '4111\n1311\n1131\n1111', // the puzzle again with 1 in its open cells
      '421313422134342', '4213 1342 2134 3421',
    ],
  }));

it('a board of queens is right with other queens than those that were drawn', () => {
  const open = { rows: ['......', '......', '......', '......', '......', '......'], solution: [] };
  expect(scoreOf(nQueens, open, '.Q....\n...Q..\n.....Q\nQ.....\n..Q...\n....Q.')).toBe(1);
  expect(scoreOf(nQueens, open, '....Q./..Q.../Q...../.....Q/...Q../.Q....')).toBe(1);
  expect(scoreOf(nQueens, open, 'Q...../.Q..../..Q.../...Q../....Q./.....Q')).toBe(0);
});

it('an echo of a puzzle with one symbol in its open cells earns nothing', async () => {
  const echoes: string[] = [];
  for (const name of Object.keys(PUZZLES)) {
    const definition = await registeredTasks[name]?.load();
    if (definition === undefined) throw new RangeError(`no task ${name}`);
    const task = bindTask(definition);
    for (let index = 0; index < 50; index++) {
      const item = task.trainItem(0, index);
      const puzzle = item.prompt.slice(0, -1);
      for (const answer of [puzzle, ...'01234Q.'].map((fill) => puzzle.replaceAll('_', fill))) {
        const { score: given } = task.verify(item, answer, { finishReason: 'eos' });
        if (given !== 0 && answer.replaceAll('/', '') !== item.answer.replaceAll('/', ''))
          echoes.push(`${name}: ${answer}`);
      }
    }
  }
  expect(echoes).toEqual([]);
});
