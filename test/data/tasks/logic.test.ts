import { describe, expect, it } from 'vitest';
import { boolExpression } from '../../../src/data/tasks/bool_expression/bool_expression.ts';
import { numberSequence } from '../../../src/data/tasks/number_sequence/number_sequence.ts';
import { predictions } from '../../../src/data/tasks/number_sequence/rules.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { LOGIC } from '../second_checkers/logic.ts';

describeTasks(LOGIC, {
  bool_expression: ['5497829d', 'de925900', '8ada02e3', '69fbeb0c'],
  number_sequence: ['ceb461fe', '33d2b88a', '592b2a89', '40bd4b81'],
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
