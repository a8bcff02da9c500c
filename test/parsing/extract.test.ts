import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyCountdownExpression } from '../../src/data/tasks/countdown/expression.ts';
import { extractAnswer, hasThinkFormat } from '../../src/parsing/extract.ts';
import { processorMs } from '../support/processor_time.ts';

/** One line of test/vectors/extraction.jsonl; scores under the policies only, last, first. */
interface Vector {
  readonly id: string;
  readonly completion: string;
  readonly scores: readonly [number, number, number];
  readonly format?: 0 | 1;
  readonly prefill?: string;
}

const problem = { numbers: [2, 3], target: 5 };
const vectors = readFileSync(new URL('../vectors/extraction.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

function score(completion: string, policy: 'only' | 'last' | 'first' | 'whole'): number | null {
  const extraction = extractAnswer(completion, policy);
  return extraction.ok ? verifyCountdownExpression(problem, extraction.answer).score : 0;
}

describe('extractAnswer', () => {
  it.each(vectors)('$id: $completion scores $scores', ({ completion, scores }) => {
    expect([score(completion, 'only'), score(completion, 'last'), score(completion, 'first')]).toEqual(scores);
  });

  it('E17: gives up on 20,000 open tags in less than 5 ms', () => {
    const completion = '<answer>'.repeat(20_000);
    extractAnswer(completion, 'only');
    const start = processorMs();
    expect(extractAnswer(completion, 'only').ok).toBe(false);
    expect(processorMs() - start).toBeLessThan(5);
  });

  it('is linear on many closed tags', () => {
    const completion = '<answer>1</answer>'.repeat(50_000);
    const start = processorMs();
    expect(extractAnswer(completion, 'last')).toEqual({ ok: true, answer: '1' });
    expect(processorMs() - start).toBeLessThan(500);
  });

  it('E18: takes the whole completion, tags included, under policy whole', () => {
    expect(score('2+3', 'whole')).toBe(1);
    expect(score('<answer>2+3</answer>', 'whole')).toBe(0);
    expect(extractAnswer(' \n', 'whole').ok).toBe(false);
  });

  it('never throws, and what it finds is part of the completion', () => {
    const pieces = fc.constantFrom('<answer>', '</answer>', '<think>', '</think>', '2+3', ' ', 'x', '<');
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }),
        fc.constantFrom('only', 'last', 'first', 'whole'),
        (parts, policy) => {
          const completion = parts.join('');
          const extraction = extractAnswer(completion, policy as 'only');
          if (extraction.ok) expect(completion).toContain(extraction.answer);
          else expect(extraction.reason).not.toBe('');
        },
      ),
      { numRuns: 500, seed: 2 },
    );
  });
});

describe('hasThinkFormat', () => {
  it.each(vectors.filter(({ format }) => format !== undefined))('$id: $completion is $format', (vector) => {
    expect(hasThinkFormat(vector.completion, vector.prefill)).toBe(vector.format === 1);
  });

  it.each([
    '<think></think><answer>2+3</answer>',
    '<think>x</think><answer> </answer>',
    '<think>x</think>y<answer>2+3</answer>',
    '<think>x</think></think><answer>2+3</answer>',
    'y<think>x</think><answer>2+3</answer>',
    '<think>x</think>',
    '',
  ])('refuses %j', (completion) => {
    expect(hasThinkFormat(completion)).toBe(false);
  });

  it('allows white space around and between the parts', () => {
    expect(hasThinkFormat('<think>\nx\n</think>\n<answer> 2+3 </answer>\n')).toBe(true);
  });
});
