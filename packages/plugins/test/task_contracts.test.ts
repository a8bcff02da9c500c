/** What a verdict of a user's task may be. */
import { describe, expect, it } from 'vitest';
import { CONTRACTS } from '../contracts.node.ts';

const verdict = { score: 0.5, status: 'incorrect', reason: 'half of it' };
const isKept = (steps: unknown): boolean =>
  CONTRACTS.task.members.verify.check?.({ ...verdict, steps }, [], {}) === undefined;

describe('the steps of a verdict', () => {
  it.each([[undefined], [[]], [[{ from: 0, to: 3, score: 1 }]]])('may be %j', (steps) => {
    expect(isKept(steps)).toBe(true);
  });

  it.each([
    ['none'],
    [[null]],
    [[{ from: 0, to: 3 }]],
    [[{ from: 3, to: 3, score: 1 }]],
    [[{ from: -1, to: 3, score: 1 }]],
    [[{ from: 0, to: 1.5, score: 1 }]],
    [[{ from: 0, to: 3, score: Number.NaN }]],
    [[{ from: 0, to: 3, score: 2 }]],
  ])('cannot be %j', (steps) => {
    expect(isKept(steps)).toBe(false);
  });
});
