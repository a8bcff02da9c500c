/**
 * Trains on groups of earlier steps beside new ones, so that fewer completions are sampled: some of a batch's problems are
 * not asked, and groups out of a buffer take their places. Their log-probs are those of the policy that sampled them, and
 * their ratio is clipped as any other; `topr` and `tis` bound it otherwise.
 */
import type { TaskItem } from '../../data/task.ts';
import type { Json } from '../../options/json.ts';
import { integer, key, number } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { RolloutStrategy } from '../points.ts';
import type { RolloutGroup } from '../records.ts';
import { meanOf } from '../statistics.ts';
import { fromPlain } from '../support/rollouts/load_rollouts.ts';
import { requirePlain } from '../support/rollouts/rollout_forms.ts';
import { toPlain } from '../support/rollouts/save_rollouts.ts';

/** A group in plain data, and the optimizer steps of the stage when it was sampled. */
interface Buffered {
  readonly step: number;
  readonly item: TaskItem;
  readonly prompt: readonly number[];
  readonly rollouts: readonly Json[];
}

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
  options: {
    replayShare: key(
      'replay_share',
      number({ above: 0, below: 1, example: 0.5 })
        .default(0.25)
        .describe('Share of the groups of a batch that are replayed, as far as there are. Default 0.25.'),
    ),
    mostStale: key(
      'max_staleness',
      integer({ min: 1, max: 1_000_000, example: 8 })
        .default(8)
        .describe('Optimizer steps after which a group is no longer replayed. Default 8.'),
    ),
    bufferedGroups: key(
      'buffered_groups',
      integer({ min: 1, max: 4096, example: 64 })
        .default(64)
        .describe('Live groups that are kept; beyond, the oldest are forgotten. Default 64.'),
    ),
  },
  samplesOffPolicy: true,
  tells: ['replays'],
  create: ({ replayShare, mostStale, bufferedGroups }): RolloutStrategy => {
    let buffer: readonly Buffered[] = [];
    return {
      async rollOut(requests, next, { step, rng, metric }) {
        const fresh = buffer.filter((group) => step - group.step <= mostStale);
        const count = Math.min(Math.floor(replayShare * requests.length), fresh.length, requests.length - 1);
        const old = rng.shuffle([...fresh]).slice(0, count);
        const groups = await next(requests.slice(0, requests.length - count));
        metric('replayed', count / requests.length);
        if (count > 0) metric('age', meanOf(old.map((group) => step - group.step)));
        const live = groups.filter(({ dead }) => !dead).map((group) => buffered(group, step));
        buffer = [...fresh, ...live].slice(-bufferedGroups);
        return [...groups, ...old.map((group) => groupOf(group, step))];
      },
      state: () => buffer as unknown as Json, // plain data
      restore(state) {
        const groups = state as unknown as readonly Buffered[]; // written by `state`
        for (const group of groups) requireBuffered(group);
        buffer = groups;
      },
    };
  },
});

function buffered({ item, prompt, rollouts }: RolloutGroup, step: number): Buffered {
  return { step, item, prompt: [...prompt], rollouts: rollouts.map(toPlain) };
}

/** @throws TypeError where that is no group */
function requireBuffered({ item, prompt, rollouts }: Buffered): void {
  if (typeof item.prompt !== 'string' || prompt.length === 0) throw new TypeError('a buffered group of another form');
  for (const rollout of rollouts) requirePlain(rollout);
}

/** As it is trained once more. @param now  optimizer steps of the stage */
function groupOf({ item, prompt, rollouts, step }: Buffered, now: number): RolloutGroup {
  return {
    item,
    prompt: Int32Array.from(prompt),
    rollouts: rollouts.map((rollout) => ({
      ...fromPlain(rollout),
      isOffPolicy: true,
      origin: 'replay',
      age: now - step,
    })),
    dead: false,
  };
}
