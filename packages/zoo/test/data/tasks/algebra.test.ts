import { describe, expect, it } from 'vitest';
import { antiderivative } from '../../../data/tasks/antiderivative/antiderivative.ts';
import { derivative } from '../../../data/tasks/derivative/derivative.ts';
import { inequality } from '../../../data/tasks/inequality/inequality.ts';
import { polynomialExpand } from '../../../data/tasks/polynomial_expand/polynomial_expand.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { ALGEBRA } from '../second_checkers/algebra.ts';

describeTasks(ALGEBRA, {
  inequality: ['453aef46', '3086efbb', '7e0d28db', '17c0e8fd'],
  polynomial_expand: ['a2b60c05', '6291087a', 'f0dcb556', '43b30730'],
  derivative: ['626a7fa6', 'cf700a92', '8a171e9c', '7a15bf92'],
  antiderivative: ['eb899e5a', 'cfa981f5', '25e04fe9', 'bd660b5c'],
});

describe('polynomial_expand: (x+2)(x-3)', () =>
  itScores(polynomialExpand, {
    problem: {
      factors: [
        [2, 1],
        [-3, 1],
      ],
    },
    1: ['x^2-x-6', 'x^2 - x - 6', '-6 - x + x^2', '1x^2-1*x-6', '2x^2/2-x-6', ' x^2\u2212x\u22126\n'],
    0: [
      '(x+2)(x-3)',
      'x^2-x-6+0',
      'x^2-3x+2x-6',
      'x*x-x-6',
      '(x^2-x-6)',
      'x^2-x+6',
      'x**2-x-6',
      'x^2-x-6=',
      'expand((x+2)(x-3))',
    ],
  }));

describe('derivative: (x+2)/(x-3)', () =>
  itScores(derivative, {
    problem: {
      form: 'quotient',
      parts: [
        [2, 1],
        [-3, 1],
      ],
    },
    1: ['-5/(x-3)^2', '-5(x-3)^(-2)', '-5/(x^2-6x+9)', '((x-3)-(x+2))/(x-3)^2', '1/(x-3)-(x+2)/(x-3)^2', '-5/(3-x)^2'],
    0: ['5/(x-3)^2', '-5/(x-3)', '1', 'd/dx (x+2)/(x-3)', '-5/(x-3)^2+1/(x-x)', '-5/x-3^2', '-5*-1*-1/(x-3)^2', ''],
  }));

describe('antiderivative: 6x+2', () =>
  itScores(antiderivative, {
    problem: { polynomial: [2, 6] },
    1: ['3x^2+2x', '3x^2+2x+C', '3x^2 + 2x + C', 'x(3x+2)', '(3x+1)^2/3', '3x^2+2x-17', '6x^2/2+2x'],
    0: [
      '6x+2',
      '3x^2+2',
      '3x^2+2x+C+C',
      'C',
      'Integral(6x+2, x)',
      'integrate(6x+2,x)',
      '3x^2+2x+c',
      '3x^2+2xC',
      '2x+3x^2+x',
    ],
  }));

it('a number of the task counts as one that x may be: degrees are bounded, so that no answer takes long', () => {
  for (const text of ['((x^60)^60)^60', '9^200^200', `${'('.repeat(20)}x${')'.repeat(20)}`, 'x^201', '1234567890123']) {
    const knobs = { degree: 1, max: 9, whole: true };
    expect(antiderivative.verify({ polynomial: [2, 6] }, text, knobs, { finishReason: 'eos' }).status, text).toBe(
      'invalid',
    );
  }
});

describe('inequality', () => {
  itScores(inequality, {
    problem: { left: [1, -4, 5], right: [0, 0, 1] },
    1: ['>='],
    0: ['>', '<=', 'none', '=', '>=>', '>= none'],
  });
  itScores(inequality, { problem: { left: [2, -3, 1] }, 1: ['-1/8', '-0.125'], 0: ['1', '1/8', '-1/8+0', '-1'] });
});
