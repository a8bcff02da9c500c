/** Bundles: one completion of each of several problems, scored together. The finer scale of their sums tells more than 0 and 1 do. */
import type { Rng } from '../../../../../src/kernels/philox.ts';
import { counts, integer, key, meanOf, type RolloutGroup } from '../../kit.ts';

export const BUNDLE_OPTIONS = {
  bundleSize: key(
    'prompts_per_bundle',
    integer({ min: 1, example: 5 })
      .default(5)
      .describe('Problems of a bundle: those that follow each other in the batch.'),
  ),
};

export interface Bundle {
  /** Number in the batch of the problems that are bundled together. */
  readonly set: number;
  /** One rollout of each: place of its group in the batch, and its own there. */
  readonly members: readonly { readonly group: number; readonly rollout: number }[];
  /** Sum of the rewards; of a bundle that is short of members, as if it were not. */
  readonly score: number;
}

/**
 * The bundles of a batch. The rollouts of each problem are drawn in a random order, and the j-th bundle of a set takes the
 * j-th of each. Rollouts whose reward does not count are left out.
 */
export function bundlesOf(
  groups: readonly RolloutGroup[],
  { bundleSize }: { readonly bundleSize: number },
  rng: Rng,
): Bundle[] {
  const drawn = groups.map(({ rollouts }, g) => {
    const counted = rollouts.flatMap((rollout, i) =>
      counts(rollout) ? [{ group: g, rollout: i, reward: Math.fround(rollout.reward) }] : [],
    );
    return rng.fork(String(g)).shuffle(counted);
  });
  const bundles: Bundle[] = [];
  for (let first = 0; first < drawn.length; first += bundleSize) {
    const set = drawn.slice(first, first + bundleSize);
    const count = Math.max(0, ...set.map(({ length }) => length));
    for (let j = 0; j < count; j++) {
      const members = set.flatMap((own) => own.slice(j, j + 1));
      const score = bundleSize * meanOf(members.map(({ reward }) => reward));
      bundles.push({ set: first / bundleSize, members, score });
    }
  }
  return bundles;
}

/** [groups][rollouts] zeros, to be written to. */
export function zerosFor(groups: readonly RolloutGroup[]): Float32Array[] {
  return groups.map(({ rollouts }) => new Float32Array(rollouts.length));
}
