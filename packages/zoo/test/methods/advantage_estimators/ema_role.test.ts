/** A baseline of its own for each role, which moves. */
import { describe, expect, it } from 'vitest';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { estimatorOf } from '../../support/advantages.ts';

function group(rewards: readonly (number | null)[], role: { task?: string; kind?: string } = {}) {
  const made = groupOf(rewards.map((reward) => rolloutOf(1, reward)));
  const item = { ...made.item, ...(role.task !== undefined && { task: role.task }) };
  return { ...made, item, ...(role.kind !== undefined && { kind: role.kind }) };
}

describe('ema-role', () => {
  it('begins at the mean of its first batch, and then follows it slowly', () => {
    const { advantages } = estimatorOf('{name: ema-role, decay: 0.75}');
    expect(advantages([group([1, 0]), group([1, 1])])).toEqual([
      [0.25, -0.75],
      [0.25, 0.25],
    ]);
    expect(advantages([group([0, 0])])).toEqual([[-0.75, -0.75]]);
    const moved = 0.75 * 0.75; // and a quarter of 0
    const [[next]] = advantages([group([1])]);
    expect(next).toBeCloseTo(1 - moved, 6);
  });

  it('keeps the roles apart, and needs no group', () => {
    const { advantages, part } = estimatorOf('ema-role');
    const judge = { kind: 'judge' };
    expect(advantages([group([1]), group([0], judge), group([0.5], { task: 'gcd' })])).toEqual([[0], [0], [0]]);
    const [[own], [others]] = advantages([group([0]), group([1], judge)]);
    expect([own, others]).toEqual([-1, 1]);
    expect(part.isDead?.(group([1]))).toBe(false);
    expect(part.isDead?.(group([null]))).toBe(true);
  });

  it('goes on where it was, behind a checkpoint', () => {
    const [whole, first, resumed] = ['ema-role', 'ema-role', 'ema-role'].map((name) => estimatorOf(name));
    for (const estimator of [whole, first]) estimator.advantages([group([1, 0, 0, 0])]);
    resumed.part.restore?.(JSON.parse(JSON.stringify(first.part.state?.())));
    expect(resumed.advantages([group([1, 0])])).toEqual(whole.advantages([group([1, 0])]));
  });
});
