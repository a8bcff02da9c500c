/** Credit by turn, by hand. */
import { describe, expect, it } from 'vitest';
import type { Rollout, Turn } from '../../../../../src/methods/records.ts';
import { collect, credit, reinforced } from '../../../../../test/grpo/step_parts.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { estimatorOf, expectAll } from '../../support/advantages.ts';

/** An episode of turns of two tokens, an observation of one between them. @param paid  what each turn was paid */
function episode(reward: number | null, paid: readonly number[]): Rollout {
  const whole = rolloutOf(3 * paid.length - 1, reward);
  const turns = paid.flatMap((own, k): Turn[] => [
    { tokens: whole.tokens.subarray(3 * k, 3 * k + 2), label: 'policy', text: '', reward: own },
    ...(k < paid.length - 1
      ? [{ tokens: whole.tokens.subarray(3 * k + 2, 3 * k + 3), label: 'environment', text: '' }]
      : []),
  ]);
  return { ...whole, turns };
}

describe('turn-return', () => {
  it('gives a turn what it and the later ones were paid, less the mean of the members that have that turn', () => {
    const group = groupOf([episode(1, [0, 0.5, 0]), episode(0, [0.25, 0]), episode(0, [0])]);
    const [values] = estimatorOf('turn-return').byToken([group]);
    // Returns: 1.5, 1.5, 1 | 0.25, 0 | 0. Means of turn 1: 1.75/3, of turn 2: 0.75, of turn 3: 1.
    const first = 1.75 / 3;
    expectAll(values[0], [1.5 - first, 1.5 - first, 0, 0.75, 0.75, 0, 0, 0]);
    expectAll(values[1], [0.25 - first, 0.25 - first, 0, -0.75, -0.75]);
    expectAll(values[2], [-first, -first]);
  });

  it('discounts by the turns between, and leaves what others wrote and what has no reward without an advantage', () => {
    const group = groupOf([episode(1, [0, 0]), episode(0, [0, 0]), episode(null, [1, 1])]);
    const [values] = estimatorOf('{name: turn-return, turn_discount: 0.5}').byToken([group]);
    expectAll(values[0], [0.25, 0.25, 0, 0.5, 0.5]);
    expectAll(values[1], [-0.25, -0.25, 0, -0.5, -0.5]);
    expectAll(values[2], [0, 0, 0, 0, 0]);
  });

  it('of one turn each it is the reward less its mean, and a group without a difference is dead', () => {
    const estimator = estimatorOf('turn-return');
    expectAll(estimator.ofRewards([1, 0, 0, 0])[0], [0.75, -0.25, -0.25, -0.25]);
    expect(estimator.part.isDead?.(groupOf([episode(0, [0, 0]), episode(0, [0])]))).toBe(true);
    expect(estimator.part.isDead?.(groupOf([episode(0, [0.5, 0]), episode(0, [0])]))).toBe(false);
  });
});

describe('potential-shaping', () => {
  const GUESS = { task: { name: 'guess_number', max: 9, numbers: 5, turns: 3 } };

  it('pays turns what they gain, which adds up to where the episode ends; the reward stays', async () => {
    const run = await reinforced({
      ...GUESS,
      group_steps: [{ name: 'potential-shaping', coef: 2 }],
      advantage_estimator: 'turn-return',
    });
    const { groups } = await collect(run);
    const played = groups.flatMap(({ rollouts }) => rollouts);
    expect(played.some(({ turns = [] }) => turns.some(({ potential }) => potential !== undefined))).toBe(true);
    for (const { turns = [], reward, verdict } of played) {
      const own = turns.filter(({ label }) => label === 'policy');
      const last = own.reduce((before, { potential = before }) => potential, 0);
      expect(own.reduce((sum, turn) => sum + (turn.reward ?? 0), 0)).toBeCloseTo(2 * last, 10);
      expect(reward).toBe(verdict.score);
    }
    const credited = await credit(run, groups);
    expect(credited.flatMap(({ tokenAdvantages = [] }) => tokenAdvantages).some((own) => own.some(Boolean))).toBe(true);
  });

  it('is refused to tasks of one turn, as turn-return is', async () => {
    const rule = 'tells the turns of an episode apart, and reverse_text is answered in one; use guess_number';
    await expect(reinforced({ group_steps: ['potential-shaping'] })).rejects.toThrow(`potential-shaping: ${rule}`);
    await expect(reinforced({ advantage_estimator: 'turn-return' })).rejects.toThrow(`turn-return: ${rule}`);
  });
});
