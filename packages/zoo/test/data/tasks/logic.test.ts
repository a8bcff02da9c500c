import { describe, expect, it } from 'vitest';
import { boolExpression } from '../../../data/tasks/bool_expression/bool_expression.ts';
import { longestRun } from '../../../data/tasks/longest_run/longest_run.ts';
import { numberSequence } from '../../../data/tasks/number_sequence/number_sequence.ts';
import { predictions } from '../../../data/tasks/number_sequence/rules.ts';
import { proof } from '../../../data/tasks/proof/proof.ts';
import { series } from '../../../data/tasks/series/series.ts';
import { statutes } from '../../../data/tasks/statutes/statutes.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { LOGIC } from '../second_checkers/logic.ts';

describeTasks(LOGIC, {
  proof: ['7036368b', '89d75e7b', 'a225183a', '35ddafba'],
  longest_run: ['97a0afcd', '61b44ac4', '29dbd86e', '4ee66105'],
  series: ['5346a2fb', '338329b5', '9032dda9', '4f35221b'],
  statutes: ['1f30a15b', 'f0685e17', '55bd5b32', '001dfed5'],
  bool_expression: ['00e68389', '5d1cd300', 'ba1b0d33', '91be1dc2'],
  number_sequence: ['7e471f7f', '76035955', 'ec965a31', 'de75cc08'],
});

describe('bool_expression: T&F', () => {
  itScores(boolExpression, {
    problem: { tree: ['&', true, false] },
    1: ['False', 'false'],
    0: ['True False', '0', 'x', 'no', 'F', 'not true', ''],
  });

  it('has one key for orders of the operands', () => {
    const key = (tree: Parameters<typeof boolExpression.key>[0]['tree']) => boolExpression.key({ tree });
    expect(key(['&', ['&', true, false], ['!', true]])).toBe(key(['&', ['!', true], ['&', false, true]]));
    expect(key(['&', true, ['|', true, false]])).not.toBe(key(['|', true, ['&', true, false]]));
  });
});

describe('number_sequence', () => {
  it.each([
    ['2 4 6 8 10', [12]],
    ['1 2 4 8 16', [32]],
    ['1 1 2 3 5 8', [13]],
    ['1 4 9 16 25', [36]],
    ['2 4 5 10 11 22', [23]],
    ['1 10 3 20 5', [30]],
    ['3 5 9 17 33', [65]],
    ['1 2 4 8 15', []],
  ])('the rules continue %s by %s', (text, expected) => {
    expect([...predictions(text.split(' ').map(Number))]).toEqual(expected);
  });

  it('is no problem where two rules disagree', () => {
    expect([...predictions([0, 1, 0, 2, 0])].sort()).toEqual([3, 4]);
  });

  itScores(numberSequence, {
    problem: { terms: [2, 4, 6, 8, 10], next: 12 },
    1: ['12', '12.0'],
    0: ['11', '2 4 6 8 10 12', '12 or 13', '10+2'],
  });
});

describe('proof', () => {
  const problem = { facts: ['a', 'b'], rules: ['ab-c', 'c-d', 'x-d', 'd-e'], goal: 'd', flipped: '' };
  itScores(proof, {
    problem,
    1: ['ab-c c-d'],
    0: ['c-d ab-c', 'ab-c', 'ab-c x-d', 'ab-c ab-c c-d', 'ab-c c-d d-e', 'ab-c, c-d', 'ba-c c-d', 'd', ''],
  });

  it('says which steps may be taken, and the first that may not', () => {
    const knobs = { system: 'horn', depth: 2, distractors: 2 } as const;
    const verdict = proof.verify(problem, 'ab-c x-d c-d', knobs, { finishReason: 'eos', wantsSteps: true });
    expect(verdict.steps).toEqual([
      { from: 0, to: 4, score: 1 },
      { from: 4, to: 8, score: 0 },
      { from: 8, to: 12, score: 1 },
    ]);
    expect(proof.feedback?.(problem, 'ab-c x-d c-d', knobs)).toBe('2');
    expect(proof.feedback?.(problem, 'ab-c c-d', knobs)).toBe('');
    expect(proof.hints?.(problem, knobs)).toEqual(['ab-c']);
  });

  it.each([
    ['Bc Ac c 0', 1], // what nothing needs may be derived too
    ['Bc c 0', 1],
    ['Ac c 0', 1],
    ['Bc Bc c 0', 0],
    ['cB c 0', 0],
    ['c 0', 0],
    ['0', 0],
    ['Bc c 0 0', 0],
    ['Bc c', 0],
  ])('refutes a, b, not a or not b or c, not c: %s scores %d', (answer, score) => {
    const knobs = { system: 'resolution', depth: 1, distractors: 0 } as const;
    const item = { facts: ['a', 'b'], rules: ['ab-c'], goal: 'c', flipped: '' };
    expect(proof.verify(item, answer, knobs, { finishReason: 'eos' }).score).toBe(score);
  });
});

describe('statutes: a later rule is an exception', () => {
  itScores(statutes, {
    problem: { facts: ['a', 'b'], rules: ['a+q', 'b-q', 'q+r', '!c+s'], asked: 'q' },
    1: ['no 2', ' no 2'],
    0: ['no 1', 'yes 1', 'no', '2', 'no 2 no 1', 'No 2'],
  });
});

describe('longest_run: 2 7 1 9 6 8 3', () => {
  itScores(longestRun, {
    problem: { bound: 5, series: ['2719683'] },
    1: ['4-6', ' 4-6 '],
    0: ['2-2', '4-5', '6-4', '4 6', 'a 4-6', ''],
  });
});

describe('series: 1 4 8 5 2', () => {
  itScores(series, {
    problem: { digits: [1, 4, 8, 5, 2], form: 'peak' },
    1: ['peak'],
    0: ['dip', 'peak dip', 'pea', 'up'],
  });
});
