/**
 * The success is off-policy: its log-probs are those of the policy that sampled it, and its ratio is clipped as any
 * other. It needs a source that asks problems again.
 */
import { integer, keys, meanOf, method, type RolloutStrategy } from '../kit.ts';
import { isUnsolved } from '../support/rollouts/unsolved.ts';
import { ownSuccess, replayed, SuccessCache } from './success_cache.ts';

export const successReplay = method({
  id: 'success-replay',
  about: {
    does: 'Puts an earlier right completion into a group that has none.',
    formula: 'where all rewards of correctness are 0: the last member ← the latest success, at most max_age steps old',
    source: '2509.24107',
    certainty: 'after the paper',
  },
  against: ['all-wrong', 'low-solve-rate'],
  options: keys({
    maxAge: integer({ min: 1, max: 1_000_000, example: 50 })
      .default(100)
      .describe('Optimizer steps after which a success is no longer replayed.'),
  }),
  samplesOffPolicy: true,
  tells: ['replays'],
  readsVerdicts: true,
  create: ({ maxAge }): RolloutStrategy => {
    const successes = new SuccessCache();
    return {
      async rollOut(requests, next, { step, metric, regroup }) {
        const groups = await next(requests);
        const ages: number[] = [];
        const given = groups.map((group) => {
          const known = isUnsolved(group) ? successes.get(group.item, step, maxAge) : undefined;
          if (known === undefined) return group;
          ages.push(step - known.step);
          return regroup(group, [...group.rollouts.slice(0, -1), replayed(known, step)]);
        });
        metric('hits', ages.length / Math.max(1, groups.length));
        if (ages.length > 0) metric('age', meanOf(ages));
        for (const { item, rollouts } of groups) {
          const right = ownSuccess(rollouts);
          if (right !== undefined) successes.keep(item, step, right);
        }
        return given;
      },
      state: () => successes.state(),
      restore: (state) => successes.restore(state),
    };
  },
});
