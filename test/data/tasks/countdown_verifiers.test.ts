import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeKnobs } from '../../../src/data/knobs.ts';
import type { CountdownKnobs } from '../../../src/data/tasks/countdown/card.ts';
import { countdown } from '../../../src/data/tasks/countdown/countdown.ts';
import {
  type ExpressionRules,
  STRICT_EXPRESSION_RULES,
  verifyCountdownExpression,
} from '../../../src/data/tasks/countdown/expression.ts';
import { judgeSteps, verifyCountdownSteps } from '../../../src/data/tasks/countdown/steps.ts';
import { processorMs } from '../../support/processor_time.ts';

/** One line of test/vectors/countdown.jsonl: an answer as expression and, where that has a meaning, as steps. */
interface Vector {
  readonly id: string;
  readonly numbers: readonly number[];
  readonly target: number;
  readonly expression: string;
  readonly score: 0 | 1;
  readonly failure?: string;
  readonly rules?: Partial<ExpressionRules>;
  readonly steps?: string;
  readonly stepsScore?: 0 | 1;
  readonly stepsFailure?: string;
}

const vectors = readFileSync(new URL('../../vectors/countdown.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);
const withSteps = vectors.filter((vector) => vector.steps !== undefined);

const KNOBS = takeKnobs(countdown, {}) as CountdownKnobs; // its own

describe('verifyCountdownExpression', () => {
  it.each(vectors)('$id: $expression scores $score', (vector) => {
    const verdict = verifyCountdownExpression(vector, vector.expression, {
      ...STRICT_EXPRESSION_RULES,
      ...vector.rules,
    });
    expect(verdict.score).toBe(vector.score);
    if (vector.failure) expect(verdict.failure).toBe(vector.failure);
  });

  it.each(withSteps)('$id: steps are no expression: $steps', (vector) => {
    // A single token ("26", "5", "") is the same in both forms and right in neither.
    expect(verifyCountdownExpression(vector, vector.steps as string).score).toBe(0);
  });

  it.each([
    ['all', [3, 5, 7], 13, '3+3+7', 0],
    ['all', [2, 2, 3], 7, '2+2+3', 1],
    ['all', [2, 3, 3], 7, '2+2+3', 0],
    ['subset', [5, 7], 10, '5+5', 0],
    ['subset', [5, 5, 7], 10, '5+5', 1],
  ] as const)(
    'takes a number as often as it is given (use: %s, %j, %d): %s scores %d',
    (use, numbers, target, text, score) => {
      const rules = { ...STRICT_EXPRESSION_RULES, use };
      expect(verifyCountdownExpression({ numbers, target }, text, rules).score).toBe(score);
    },
  );

  it('accepts one trailing =target only where the rules say so', () => {
    const problem = { numbers: [3, 5, 7], target: 26 };
    const rules = { ...STRICT_EXPRESSION_RULES, allowEquals: true };
    expect(verifyCountdownExpression(problem, '3*7+5=26', rules).score).toBe(1);
    expect(verifyCountdownExpression(problem, '3*7+5', rules).score).toBe(1);
    expect(verifyCountdownExpression(problem, '3*7+5=27', rules).score).toBe(0);
    expect(verifyCountdownExpression(problem, '3*7+5=26=26', rules).score).toBe(0);
    expect(verifyCountdownExpression(problem, '3*7+7=26', rules).score).toBe(0);
  });

  it('gives one canonical form to answers that differ in order and parentheses only', () => {
    const problem = { numbers: [3, 5, 7], target: 26 };
    const canonical = (text: string) => verifyCountdownExpression(problem, text).canonical;
    expect(canonical('5+7*3')).toBe(canonical('(3*7)+5'));
    expect(verifyCountdownExpression({ numbers: [2, 3, 9], target: 4 }, '9-2-3').canonical).toBe(
      verifyCountdownExpression({ numbers: [2, 3, 9], target: 4 }, '9-(3+2)').canonical,
    );
    expect(verifyCountdownExpression({ numbers: [2, 3, 9], target: 10 }, '9-(2-3)').canonical).toBe('(+3+9-2)');
    expect(verifyCountdownExpression({ numbers: [2, 4, 8], target: 4 }, '8/(4/2)').canonical).toBe('(*2*8/4)');
    expect(verifyCountdownExpression({ numbers: [2, 4, 4], target: 8 }, '4*4/2').canonical).not.toBe(
      verifyCountdownExpression({ numbers: [2, 4, 4], target: 8 }, '4*(4-2)').canonical,
    );
  });
});

describe('verifyCountdownSteps', () => {
  it.each(withSteps)('$id: $steps scores $stepsScore', (vector) => {
    const verdict = verifyCountdownSteps(vector, vector.steps as string);
    expect(verdict.score).toBe(vector.stepsScore);
    if (vector.stepsFailure) expect(verdict.failure).toBe(vector.stepsFailure);
  });

  it.each(vectors)('$id: an expression is not steps: $expression', (vector) => {
    expect(verifyCountdownSteps(vector, vector.expression).score).toBe(0);
  });

  it.each([
    ['a number used twice', [3, 7, 2], 13, '3 + 7 = 10 , 10 + 3 = 13', 'illegal'],
    ['an intermediate used twice', [2, 3, 4, 5], 10, '2 + 3 = 5 , 5 + 5 = 10 , 5 + 5 = 10', 'illegal'],
    ['an intermediate that was never made', [3, 7, 2], 13, '3 * 2 = 6 , 8 + 5 = 13', 'illegal'],
    ['a false step that ends right', [3, 7, 2], 13, '3 * 2 = 7 , 7 + 6 = 13', 'illegal'],
    ['a false last step', [3, 7, 2], 13, '3 * 7 = 21 , 21 + 2 = 13', 'illegal'],
    ['the target by one step of three numbers', [3, 7, 10], 13, '3 + 10 = 13', 'illegal'],
    ['a chain without commas', [3, 7, 2], 13, '3 * 2 = 6 + 7 = 13', 'bad_format'],
    ['a trailing comma', [3, 7, 2], 13, '3 * 2 = 6 , 6 + 7 = 13 ,', 'bad_format'],
    ['a quotient rounded down', [7, 2, 1], 4, '7 / 2 = 3 , 3 + 1 = 4', 'illegal'],
    ['the other end of a true trace', [3, 7, 2], 13, '3 + 7 = 10 , 10 + 2 = 12', 'wrong_value'],
    ['digits that were numbers of the prompt', [1, 2, 3], 15, '12 + 3 = 15', 'illegal'],
    ['three operands in one step', [3, 7, 2], 13, '3 * 2 + 7 = 13', 'bad_format'],
    ['a zero for nothing', [3, 7, 2], 13, '3 * 2 = 6 , 0 + 13 = 13', 'illegal'],
  ])('rejects %s', (_hack, numbers, target, steps, failure) => {
    const verdict = verifyCountdownSteps({ numbers, target }, steps);
    expect([verdict.score, verdict.failure]).toEqual([0, failure]);
  });

  it('accepts both uses of a number that is given twice, and an intermediate equal to a given number', () => {
    expect(verifyCountdownSteps({ numbers: [4, 4, 2], target: 6 }, '4 / 2 = 2 , 4 + 2 = 6').score).toBe(1);
    expect(verifyCountdownSteps({ numbers: [4, 4, 4], target: 20 }, '4 * 4 = 16 , 16 + 4 = 20').score).toBe(1);
  });

  it('has the canonical form of the expression that the steps compute', () => {
    const problem = { numbers: [3, 5, 7], target: 26 };
    expect(verifyCountdownSteps(problem, '7*3=21,5+21=26').canonical).toBe(
      verifyCountdownExpression(problem, '3*7+5').canonical,
    );
  });

  it('agrees with plain number arithmetic on random chains', () => {
    const small = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(
        small,
        small,
        small,
        fc.constantFrom('+', '-', '*', '/'),
        fc.integer({ min: 0, max: 20 }),
        (a, b, c, op, claim) => {
          const exact = { '+': a + b, '-': a - b, '*': a * b, '/': a / b }[op];
          const verdict = verifyCountdownSteps(
            { numbers: [a, b, c], target: claim + c },
            `${a}${op}${b}=${claim},${claim}+${c}=${claim + c}`,
          );
          expect(verdict.score).toBe(exact === claim ? 1 : 0);
        },
      ),
      { numRuns: 500, seed: 5 },
    );
  });
});

describe('both verifiers', () => {
  it('reject powers of powers in less than a millisecond', () => {
    const problem = { numbers: [9, 9], target: 18 };
    verifyCountdownExpression(problem, '9+9');
    const start = processorMs();
    for (let run = 0; run < 20; run++) verifyCountdownExpression(problem, '99**99**99');
    expect((processorMs() - start) / 20).toBeLessThan(1);
  });

  it('stay exact where doubles are not', () => {
    const problem = { numbers: [999999999, 999999999, 1], target: 1 };
    expect(verifyCountdownExpression(problem, '999999999*1/999999999').score).toBe(1);
    const nearly = { numbers: [999999999, 999999998, 999999999], target: 999999998 };
    expect(verifyCountdownExpression(nearly, '999999999*999999998/999999999').score).toBe(1);
    expect(verifyCountdownExpression({ ...nearly, target: 999999997 }, '999999999*999999998/999999999').score).toBe(0);
  });
});

it('E18: a right expression that the token limit cut scores nothing', () => {
  const knobs = { ...KNOBS, answer: 'expression' } as const;
  const judged = (finishReason: 'eos' | 'length') =>
    countdown.verify({ numbers: [2, 3], target: 5 }, '2+3', knobs, { finishReason });
  expect(judged('eos').score).toBe(1);
  expect(judged('length')).toMatchObject({ score: 0, status: 'truncated' });
});

describe('judgeSteps', () => {
  it.each(
    /* biome-ignore format: a table */ [
      ['3 * 2 = 6 , 7 + 6 = 13', [['3 * 2 = 6', 1], ['7 + 6 = 13', 1]]],
      ['a true step behind a false one', [['a true step behind a false one', 0]]],
      ['3 * 2 = 7 , 7 + 7 = 14', [['3 * 2 = 7', 0], ['7 + 7 = 14', 1]]],
      ['3 * 2 = 6 , 3 + 6 = 9', [['3 * 2 = 6', 1], ['3 + 6 = 9', 0]]],
      [' 3 * 2 =6, oh dear ,7+6=13', [['3 * 2 =6', 1], ['oh dear', 0], ['7+6=13', 1]]],
      ['3 * 2 + 7 = 13', [['3 * 2 + 7 = 13', 0]]],
      ['3 * 2 = 6 , ,', [['3 * 2 = 6', 1]]],
      ['', []],
    ] as const,
  )('judges each step of "%s" by itself', (answer, expected) => {
    const steps = judgeSteps({ numbers: [3, 7, 2], target: 13 }, answer);
    expect(steps.map(({ from, to, score }) => [answer.slice(from, to), score])).toEqual(expected);
  });

  it('is total, and gives spans of the text in order', () => {
    const answers = fc.oneof(fc.string({ maxLength: 300 }), fc.stringMatching(/^[0-9+*=, -]{0,300}$/));
    fc.assert(
      fc.property(answers, (answer) => {
        let end = 0;
        for (const { from, to } of judgeSteps({ numbers: [3, 7, 2], target: 13 }, answer)) {
          expect(from >= end && to > from && to <= answer.length).toBe(true);
          end = to;
        }
      }),
    );
  });

  it('adds steps to a verdict that is asked for them, and changes nothing else', () => {
    const knobs = { ...KNOBS, answer: 'steps' } as const;
    const item = { numbers: [3, 7, 2], target: 13 };
    const plain = countdown.verify(item, '3 * 2 = 6', knobs, { finishReason: 'eos' });
    const asked = countdown.verify(item, '3 * 2 = 6', knobs, { finishReason: 'eos', wantsSteps: true });
    expect(plain).not.toHaveProperty('steps');
    expect(asked).toEqual({ ...plain, steps: [{ from: 0, to: 9, score: 1 }] });
    const expression = { ...KNOBS, answer: 'expression' } as const;
    expect([countdown.givesSteps?.(knobs), countdown.givesSteps?.(expression)]).toEqual([true, false]);
    const other = countdown.verify(item, '3 * 2 + 7', expression, { finishReason: 'eos', wantsSteps: true });
    expect(other).not.toHaveProperty('steps');
  });
});
