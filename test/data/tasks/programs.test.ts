import { describe, expect, it } from 'vitest';
import { bf } from '../../../src/data/tasks/bf/bf.ts';
import { printed } from '../../../src/data/tasks/bf/interpreter.ts';
import { stackMachine } from '../../../src/data/tasks/stack_machine/stack_machine.ts';
import { describeTasks, scoreOf } from '../../support/task_rules.ts';
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

describe('bf: ++[>+++<-]>.+. prints 6 7', () => {
  it.each([
    ['6 7', 1],
    ['[6, 7]', 1],
    ['6,7', 1],
    ['67', 0],
    ['7 6', 0],
    ['6', 0],
    ['6 7 6 7', 0],
    ['\u0006\u0007', 0],
    ['++[>+++<-]>.+.', 0],
  ])('%s scores %i', (answer, score) => {
    expect(scoreOf(bf, { program: '++[>+++<-]>.+.', output: 'numbers', cells: [6, 7] }, answer)).toBe(score);
  });
});

describe('stack_machine: 3 4 over - leaves 3 1', () => {
  it.each([
    ['3 1', 1],
    ['[3, 1]', 1],
    ['1 3', 0],
    ['3 -1', 0],
    ['1', 0],
    ['3 4 over -', 0],
    ['3 1 3 1', 0],
  ])('%s scores %i', (answer, score) => {
    expect(scoreOf(stackMachine, { program: ['3', '4', 'over', '-'], stack: [3, 1] }, answer)).toBe(score);
  });
});
