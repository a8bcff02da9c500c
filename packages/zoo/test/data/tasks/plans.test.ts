import { describe, expect, it } from 'vitest';
import { lightsOut } from '../../../data/tasks/lights_out/lights_out.ts';
import { towerOfHanoi } from '../../../data/tasks/tower_of_hanoi/tower_of_hanoi.ts';
import { describeTasks, itScores, scoreOf } from '../../support/task_rules.ts';
import { PLANS } from '../second_checkers/plans.ts';

describeTasks(PLANS, {
  tower_of_hanoi: ['003947c2', '15e7f10e', '3b034920', '3d985b1a'],
  lights_out: ['05fa11cb', '3532a620', '6ad62383', 'b83939ba'],
});

describe('tower_of_hanoi: AAB to C', () => {
  const item = { pegs: 'ABC', disks: 'AAB', goal: 'C' };

  itScores(towerOfHanoi, {
    problem: item,
    1: ['BC AB AC BC', 'BC,AB,AC,BC'],
    0: ['BCABACBC', 'AB AC BA BC AC', 'AC AB CB', 'AC AB CB BC', '', 'AA', 'AC AC', 'none'],
  });

  it('takes a longer plan, up to its cap, and nothing behind the goal', () => {
    const plan = towerOfHanoi.oracle(item, { disks: 3, pegs: 3 });
    const idle = 'AC CA ';
    expect(scoreOf(towerOfHanoi, item, plan)).toBe(1);
    expect(scoreOf(towerOfHanoi, item, plan.replaceAll(' ', ', '))).toBe(1);
    expect(scoreOf(towerOfHanoi, item, idle + plan)).toBe(1);
    expect(scoreOf(towerOfHanoi, item, idle.repeat(8) + plan)).toBe(0);
    expect(scoreOf(towerOfHanoi, item, `${plan} CA AC`)).toBe(0);
  });
});

describe('lights_out: a cross', () => {
  itScores(lightsOut, {
    problem: { rows: ['010', '111', '010'] },
    1: ['22'],
    0: ['22 22 22', '22 22', '12 21 22 23 32', '', '0', '44', '2 2', '(2,2)'],
  });

  it('lists each set of cells that does it, the smallest first', () => {
    const item = { rows: ['1100', '1000', '0000', '0000'] };
    const solutions = [...(lightsOut.solutions?.(item, { size: 4, presses: 4 }) ?? [])];
    expect(solutions).toHaveLength(16);
    expect(solutions[0]).toBe('11');
    expect(solutions.map((solution) => scoreOf(lightsOut, item, solution))).toEqual(solutions.map(() => 1));
  });
});
