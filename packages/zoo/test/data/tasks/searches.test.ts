/** Tasks whose answers search, and what `searchTask` makes of a solver. */
import { describe, expect, it } from 'vitest';
import { bindTask, checkTask, findingText } from '../../../data/index.ts';
import { starSearch } from '../../../data/tasks/star_search/star_search.ts';
import { sudokuSearch } from '../../../data/tasks/sudoku_search/sudoku_search.ts';
import { describeTasks } from '../../support/task_rules.ts';
import { SEARCHES } from '../second_checkers/searches.ts';

describeTasks(SEARCHES, {
  star_search: ['4ec47107', '4c47fc56', 'ab8ca069', '77ee4204'],
  sudoku_search: ['350b4f78', '93b9690e', '71ff9b4d', '3c6ffeb2'],
});

const ENDED = { finishReason: 'eos', wantsSteps: true } as const;

describe('star_search', () => {
  const task = bindTask(starSearch, {});
  // From 1 lead 5 4 2, 7 6 8 and 10 3 9.
  const identity = { edges: ['ic', 'ae', 'ed', 'gf', 'ga', 'fh', 'aj', 'bd', 'cj'], way: 'agfh' };
  const item = { ...task.trainItem(0, 0), identity };
  // biome-ignore format: a table
  it.each([
    ['5 ( 4 ( 2 n ) ) , 7 ( 6 ( 8 y , 1 7 6 8', 1, '1111111'],
    ['7 ( 6 ( 8 y , 1 7 6 8', 1, '1111'],
    ['10 ( 3 ( 9 n ) ) , 10 ( 3 ( 9 n ) ) , 7 ( 6 ( 8 y , 1 7 6 8', 1, '1111111111'],
    ['5 ( 4 ( 2 n ) ) , 7 ( 6 ( 8 y , 1 5 4 2', 0, '1111110'],
    ['5 ( 4 ( 2 y , 1 5 4 2', 0, '110'],
    ['5 ( 4 ( 8 y , 1 5 4 8', 0, '110'],
    ['5 ( 1 ( 7 ( 6 ( 8 y , 1 7 6 8', 0, '10'],
    ['5 ( 4 ( 2 n )', 0, '111'],
    ['1 7 6 8', 0, '0'],
  ])('gives %s %d', (answer, score, steps) => {
    const verdict = task.verify(item, answer, ENDED);
    expect(verdict.score).toBe(score);
    expect(verdict.steps?.map((step) => step.score).join('')).toBe(steps);
  });
});

describe('searchTask', () => {
  it.each([
    ['star_search', { search: false }, starSearch],
    ['star_search', { right_marks: 0.8, repeats: 0.3, gives_up: 0.2, random_order: 1 }, starSearch],
    ['sudoku_search', { search: false }, sudokuSearch],
    ['sudoku_search', { holes: 12, max_tokens: 50, right_marks: 0.9, repeats: 0.3 }, sudokuSearch],
  ] as const)('keeps the rules of a task with slips and without a search: %s %j', (name, knobs, definition) => {
    const second = SEARCHES[name];
    const { findings } = checkTask(definition as never, { items: 10, attempts: 500, settings: [knobs], second });
    expect(findings.map(findingText).join('\n')).toBe('');
  });

  it('shows searches that are right and of several tries', () => {
    for (const definition of [starSearch, sudokuSearch]) {
      const task = bindTask(definition as never, {});
      const answers = Array.from(
        { length: 50 },
        (_, i) => [task.trainItem(0, i), task.demonstration(task.trainItem(0, i), 0, i)] as const,
      );
      for (const [item, answer] of answers) expect(task.verify(item, answer, ENDED).score).toBe(1);
      expect(answers.filter(([, answer]) => answer.includes(' n')).length).toBeGreaterThan(10);
    }
  });

  it('refuses a problem without a solution', () => {
    expect(() =>
      starSearch.hints?.({ edges: ['ab'], way: 'ac' }, bindTask(starSearch as never, {}).knobs as never),
    ).toThrow('star_search: 1 2 : 1 3 ? has no solution');
  });
});
