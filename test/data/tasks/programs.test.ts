import { describe, expect, it } from 'vitest';
import { bf } from '../../../src/data/tasks/bf/bf.ts';
import { printed } from '../../../src/data/tasks/bf/interpreter.ts';
import { stackMachine } from '../../../src/data/tasks/stack_machine/stack_machine.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { PROGRAMS } from '../second_checkers/programs.ts';

describeTasks(PROGRAMS, {
  bf: ['97f730cb', 'ca69a733', '224b277e', '05171940'],
  stack_machine: ['63f02991', '47ad56d6', 'bb1d04c0', 'e1b38153'],
});

describe('the machine of bf', () => {
  it.each([
    ['++[>+++<-]>.+.', [6, 7]],
    ['-.', [255]],
    ['[.]+.', [1]],
    ['++[>++[>+++<-]<-]>>.', [12]],
    ['', []],
  ])('%s prints %j', (program, expected) => {
    expect(printed(program)).toEqual(expected);
  });

  it.each(['+[]', '[', ']', '<.', '+[>+]', '++x'])('%s is no program that ends', (program) => {
    expect(printed(program)).toBeUndefined();
  });

  it('prints words that are known', () => {
    // A program of reasoning-gym's task bf, and its answer.
    const program =
      '>[-]>[-]<>+++++++++[<+++++++++++>-]<.+++++++++++++++.>++++[<---->-]<-.>+++[<+++++++>-]<.>++++[<---->-]<-.<';
    expect(String.fromCharCode(...(printed(program) ?? []))).toBe('crave');
  });
});

describe('bf: ++[>+++<-]>.+. prints 6 7', () =>
  itScores(bf, {
    problem: { program: '++[>+++<-]>.+.', output: 'numbers', cells: [6, 7] },
    1: ['6 7', '[6, 7]', '6,7'],
    0: ['67', '7 6', '6', '6 7 6 7', '\u0006\u0007', '++[>+++<-]>.+.'],
  }));

describe('stack_machine: 3 4 over - leaves 3 1', () =>
  itScores(stackMachine, {
    problem: { program: ['3', '4', 'over', '-'], stack: [3, 1] },
    1: ['3 1', '[3, 1]'],
    0: ['1 3', '3 -1', '1', '3 4 over -', '3 1 3 1'],
  }));
