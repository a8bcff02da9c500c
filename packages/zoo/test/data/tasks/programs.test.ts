import { describe, expect, it } from 'vitest';
import { bf } from '../../../data/tasks/bf/bf.ts';
import { printed } from '../../../data/tasks/bf/interpreter.ts';
import { lineTrace } from '../../../data/tasks/line_trace/line_trace.ts';
import { stackMachine } from '../../../data/tasks/stack_machine/stack_machine.ts';
import { stackVm } from '../../../data/tasks/stack_vm/stack_vm.ts';
import { vmTrace } from '../../../data/tasks/vm_trace/vm_trace.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { PROGRAMS } from '../second_checkers/programs.ts';

describeTasks(PROGRAMS, {
  line_trace: ['f5abc1e5', '48d678df', '22385ef3', '7d1b3409'],
  bf: ['a942356e', 'ee035237', 'dbba2b18', '9f7cb279'],
  stack_machine: ['f0c8dd1d', 'f3f1e877', '3c763b8d', '6e7bd42e'],
  stack_vm: ['5ce44542', '0c0c2074', '6fc93b8b', '1a243267'],
  js_output: ['855f72dd', '367ab9c0', '434d4a07', 'd46e5eb5'],
  vm_trace: ['27dc04c8', 'e8c0a51f', '644dad54', '9a476687'],
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

describe('stack_vm: 3x + 2', () =>
  itScores(stackVm, {
    problem: { coefficients: [2, 3, 0] },
    1: ['3 * 2 +', '2 swap 3 * +', 'dup dup + + 2 +', ' 3 * 2 +\n'],
    // Right for the three examples alone, one number too many, an operand that is missing, and what only looks like a program.
    0: ['5', '3 * 2 + 1', '* 3', '3 * 2', '3*2+', '3 * 2 +,', 'drop 5', '03 * 2 +', '3 * -2 -', 'dup '.repeat(17)],
  }));

it('stack_vm pays in rungs: a program that runs, then the tests that it passes, then its length', () => {
  const partsOf = (answer: string) =>
    stackVm.verify({ coefficients: [2, 3, 0] }, answer, { degree: 1, max: 9 }, { finishReason: 'eos' }).parts;
  expect(partsOf('3 *')).toMatchObject({ syntax: 1, brevity: 0 });
  expect(partsOf('*')).toEqual({ syntax: 0, tests: 0, brevity: 0 });
  expect(partsOf('drop 5')?.tests).toBeCloseTo(1 / 23, 1);
  expect(partsOf('3 * 2 +')).toEqual({ syntax: 1, tests: 1, brevity: 1 });
  expect(partsOf('3 * 1 + 1 +')).toEqual({ syntax: 1, tests: 1, brevity: 4 / 6 });
});

describe('vm_trace: 3 4 over -', () =>
  itScores(vmTrace, {
    problem: { program: ['3', '4', 'over', '-'], stack: [3, 1] },
    1: ['3/3 4/3 4 3/3 1', ' 3/3 4/3 4 3/3 1 '],
    0: ['3 1', '3/3 4/3 1', '3/3 4/3 4 3/3 1/3 1', '3/4 3/3 4 3/3 1', '3/3 4/3 4 3/3 01', '3 / 3 4 / 3 4 3 / 3 1'],
  }));

it('vm_trace judges each stack by itself', () => {
  const { parts, steps } = vmTrace.verify(
    { program: ['3', '4', 'over', '-'], stack: [3, 1] },
    '3/4/3 4 3/3 1',
    { length: 6, max: 9, moves: true },
    { finishReason: 'eos', wantsSteps: true },
  );
  expect(parts).toEqual({ output: 1, trace: 0.75 });
  expect(steps?.map(({ from, to, score }) => [from, to, score])).toEqual([
    [0, 1, 1],
    [1, 3, 0],
    [3, 9, 1],
    [9, 13, 1],
  ]);
});

describe('line_trace: a=3, b+a, a-1, a?2', () => {
  const lines = ['a=3', 'b+a', 'a-1', 'a?2'];
  itScores(lineTrace, { problem: { lines, asked: 'b' }, 1: ['6', '6.0'], 0: ['3', '0', '3+2+1', 'b'] });
  itScores(lineTrace, { problem: { lines, asked: '@5' }, 1: ['2'], 0: ['5', '1', '@2'] });
});
