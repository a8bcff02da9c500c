import { describe, expect, it } from 'vitest';
import type { ScaleRewards } from '../../src/kernels/kernels.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { offsetsOf, uniforms } from '../support/data.ts';
import { given, ids, poisoned, poisonedIds, runCases } from '../support/harness.ts';

function advantagesCase(
  rewards: ArrayLike<number>,
  sizes: readonly number[],
  scale: ScaleRewards,
  groups = sizes.length,
): ConformanceCase {
  const C = rewards.length;
  return {
    slots: {
      rewards: given([C], rewards),
      offsets: ids([sizes.length + 1], offsetsOf(sizes)),
      groups: ids([1], [groups]),
      advantages: poisoned([C]),
      dead: poisonedIds([sizes.length]),
    },
    build: (kernels, { rewards, offsets, groups, advantages, dead }) =>
      kernels.groupAdvantages({ rewards, offsets, groups: { slot: groups, index: 0 }, scale, advantages, dead }),
    writes: { advantages: { terms: C }, dead: { relative: 0 } },
  };
}

const SCALES: readonly ScaleRewards[] = ['group', 'batch', 'none'];

for (const { label, backend } of await requiredBackends()) {
  describe(`groupAdvantages on ${label}`, () => {
    it('matches float64 for groups of unequal size, however they are scaled', async () => {
      const cases = SCALES.flatMap((scale) => [
        advantagesCase([1, 0], [2], scale),
        advantagesCase(uniforms([10], 1), [3, 2, 5], scale),
        advantagesCase(uniforms([97], 2, -5, 5), [40, 57], scale),
        advantagesCase(uniforms([64], 3).map(Math.round), Array(16).fill(4), scale),
      ]);
      await expectConformance(backend, ...cases);
    });

    it('gives dead groups, groups of one among them, exactly 0', async () => {
      const rewards = [...Array(8).fill(0.7), 0.1, 0.9, 0.3, 5, ...Array(16).fill(-1e6 / 3)];
      const cases = SCALES.map((scale) => advantagesCase(rewards, [8, 3, 1, 16], scale));
      for (const { advantages, dead } of await runCases(backend, cases)) {
        expect([...dead]).toEqual([1, 0, 1, 1]);
        for (const index of [0, 3, 7, 11, 12, 27]) expect(advantages[index]).toBe(0);
        expect(advantages[9]).toBeGreaterThan(0);
      }
    });

    it('leaves groups beyond the count untouched', async () => {
      const rewards = uniforms([12], 4);
      const cases = SCALES.flatMap((scale) => [2, 0].map((count) => advantagesCase(rewards, [4, 4, 4], scale, count)));
      await expectConformance(backend, ...cases);
    });
  });
}
