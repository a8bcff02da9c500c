/**
 * Fewer completions are sampled. Replayed log-probs are those of the policy that sampled, and their ratio is clipped as
 * any other; `topr` and `tis` bound it otherwise.
 */
import { integer, type Json, key, keys, meanOf, method, number, type RolloutStrategy } from '../kit.ts';
import { replayedGroup, requireStored, type StoredGroup, stored } from '../support/rollouts/stored_groups.ts';

export const replayBuffer = method({
  id: 'replay-buffer',
  about: {
    does: 'Trains on groups of earlier steps in the places of some of the new ones.',
    names: ['experience replay'],
    formula:
      'of n problems replay_share·n ← live groups at most max_staleness steps old, drawn from the newest buffered',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    replayShare: number({ above: 0, below: 1, example: 0.5 })
      .default(0.25)
      .describe('Share of the groups of a batch that are replayed, as far as there are.'),
    mostStale: key(
      'max_staleness',
      integer({ min: 1, max: 1_000_000, example: 8 })
        .default(8)
        .describe('Optimizer steps after which a group is no longer replayed.'),
    ),
    bufferedGroups: integer({ min: 1, max: 4096, example: 64 })
      .default(64)
      .describe('Live groups that are kept; beyond, the oldest are forgotten.'),
  }),
  samplesOffPolicy: true,
  tells: ['replays'],
  create: ({ replayShare, mostStale, bufferedGroups }): RolloutStrategy => {
    let buffer: readonly StoredGroup[] = [];
    return {
      async rollOut(requests, next, { step, rng, metric }) {
        const fresh = buffer.filter((group) => step - group.step <= mostStale);
        const count = Math.min(Math.floor(replayShare * requests.length), fresh.length, requests.length - 1);
        const old = rng.shuffle([...fresh]).slice(0, count);
        const groups = await next(requests.slice(0, requests.length - count));
        metric('replayed', count / requests.length);
        if (count > 0) metric('age', meanOf(old.map((group) => step - group.step)));
        const live = groups.filter(({ dead }) => !dead).map((group) => stored(group, step));
        buffer = [...fresh, ...live].slice(-bufferedGroups);
        return [...groups, ...old.map((group) => replayedGroup(group, step))];
      },
      state: () => buffer as unknown as Json, // plain data
      restore(state) {
        buffer = requireStored(state);
      },
    };
  },
});
