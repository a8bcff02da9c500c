/** A group in halves: compared across, within, or both. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupOf, groupOfRewards, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { estimatorOf, expectAll } from '../../support/advantages.ts';

const byLength = (options = '') => estimatorOf(`{name: canon, split_by: length${options}}`);

describe('canon', () => {
  it('compares with the other half, with its own, and weighs the upper half', () => {
    const given = groupOfRewards([4, 1, 3, 2], [1, 1, 0, 1]); // upper half: the first and the third
    expectAll(byLength().advantages([given])[0], [0, 0.5, -1, 0.5]);
    expectAll(byLength(', other_half: 0').advantages([given])[0], [0.5, 0, -0.5, 0]);
    expectAll(byLength(', upper_factor: 0.5').advantages([given])[0], [0, 0.5, -0.5, 0.5]);
  });

  it('splits by the mean entropy of the tokens', () => {
    const rollouts = [0.1, 0.9, 0.8, 0.2].map((entropy, i) => ({
      ...rolloutOf(2, [1, 0, 1, 0][i]),
      entropies: Float32Array.of(entropy, entropy),
    }));
    expectAll(
      estimatorOf('{name: canon, other_half: 0.25}').advantages([groupOf(rollouts)])[0],
      [0.5, -0.5, 0.5, -0.5],
    );
    const unequal = rollouts.map((rollout, i) => ({ ...rollout, reward: [1, 1, 1, 0][i] }));
    expectAll(estimatorOf('canon').advantages([groupOf(unequal)])[0], [0, 0.5, 0.5, -1]);
  });

  it('at half and half is the mean of the group, whatever the measure, in odd groups too', () => {
    const half = byLength(', other_half: 0.5');
    const plain = estimatorOf('{name: group, scale_rewards: none}');
    const members = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: -2, max: 2 })), {
      minLength: 2,
      maxLength: 9,
    });
    fc.assert(
      fc.property(members, (given) => {
        const group = groupOfRewards(
          given.map(([length]) => length),
          given.map(([, reward]) => reward),
        );
        expectAll(half.advantages([group])[0], plain.advantages([group])[0]);
      }),
    );
  });

  it('shares out what is of one measure at the border: no order decides', () => {
    const [found] = byLength().advantages([groupOfRewards([2, 2, 2, 2], [1, 0, 0, 0])]);
    expectAll(found, [0.75, -0.25, -0.25, -0.25]);
  });

  it('calls equal rewards dead, and refuses odd groups', () => {
    const equal = groupOfRewards([1, 2, 3, 4], [0.7, 0.7, 0.7, 0.7]);
    expect(byLength().advantages([equal])).toEqual([[0, 0, 0, 0]]);
    expect(byLength().part.isDead?.(equal)).toBe(true);
    expect(() => stageOf('advantage_estimator: canon', 'num_generations: 5', 'generation_batch_size: 20')).toThrow(
      'splits groups in halves, and they are of 5; use an even num_generations',
    );
  });
});
