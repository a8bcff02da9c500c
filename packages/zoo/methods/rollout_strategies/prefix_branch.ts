/**
 * What a branch inherits carries no loss, and what follows is on-policy to the bit. Trunks and branches have one
 * baseline.
 */
import type { Rng } from '../../../../src/kernels/philox.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { type GroupRequest, integer, key, keys, meanOf, method, type Rollout, type RolloutStrategy } from '../kit.ts';
import { largestOf } from '../support/credit/group_size.ts';
import { membersOf } from '../support/rollouts/request_members.ts';

export const prefixBranch = method({
  id: 'prefix-branch',
  about: {
    does: 'Lets part of a group branch off the others where the policy was unsure.',
    names: ['CURE', 'branch-shared'],
    formula:
      'n = trunks·(1 + branches); a cut before one of the `positions` tokens of most entropy, but the first; one baseline for all n',
    source: '2508.11016',
    certainty: 'after the paper',
  },
  options: keys({
    branchesPerTrunk: key(
      'branches',
      integer({ min: 1, max: 64, example: 3 }).default(3).describe('Of each completion that is sampled whole.'),
    ),
    positions: integer({ min: 1, max: 4096, example: 20 })
      .default(20)
      .describe('Tokens of most entropy, before any one of which the cut is made.'),
    branchingSteps: integer({ min: 0, example: 300 })
      .default(300)
      .describe('Optimizer steps of the stage that branch; the others sample plainly.'),
  }),
  conflict: ({ branches }, _, { batch: { numGenerations } }) => {
    const share = 1 + largestOf(branches);
    if (numGenerations % share === 0) return undefined;
    return `makes groups of trunks with ${share - 1} branches each, and they are of ${numGenerations}; use a num_generations that ${share} divides`;
  },
  warn: (_, { groupSteps }) =>
    groupSteps.length > 0
      ? 'group_steps see trunks and branches apart, in two rounds of sampling; use one whose result does not depend on the others of a group'
      : undefined,
  create: ({ branchesPerTrunk, positions, branchingSteps }): RolloutStrategy => ({
    async rollOut(requests, next, { step, rng, metric, regroup }) {
      if (step >= branchingSteps) return next(requests);
      const trunkCounts = requests.map(({ samples }) => Math.ceil(samples / (1 + branchesPerTrunk)));
      const trunks = await next(requests.map((request, i) => membersOf(request, 0, trunkCounts[i])));
      const cuts: number[] = [];
      const asked = requests.map((request, i): GroupRequest => {
        const { rollouts } = trunks[i];
        const own = rollouts.map((rollout) => cutOf(rollout, positions, rng));
        cuts.push(...own);
        const count = request.samples - trunkCounts[i];
        const prefixes = Array.from({ length: count }, (_, k) => {
          const trunk = k % rollouts.length;
          return rollouts[trunk].tokens.subarray(0, own[trunk]);
        });
        return { ...membersOf(request, trunkCounts[i], count), prefixes, origin: 'branch' };
      });
      const branches = await next(asked);
      metric('cut', meanOf(cuts));
      return [
        ...requests.map((_, i) => regroup(trunks[i], [...trunks[i].rollouts, ...branches[i].rollouts])),
        ...trunks.slice(requests.length), // for a strategy after this one that has asked for more
        ...branches.slice(requests.length),
      ];
    },
  }),
});

/** Tokens before the cut; 0 where there is no place for one. Neither a token that was put in nor the end is sampled again. */
function cutOf({ tokens, labels, entropies, finishReason }: Rollout, candidates: number, rng: Rng): number {
  const end = tokens.length - (finishReason === 'eos' ? 1 : 0);
  const places = Array.from({ length: end }, (_, t) => t).filter((t) => t > 0 && labels?.[t] !== TOKEN.given);
  if (places.length === 0) return 0;
  const unsure = places.sort((a, b) => entropies[b] - entropies[a] || a - b).slice(0, candidates);
  return unsure[rng.int(0, unsure.length - 1)];
}
