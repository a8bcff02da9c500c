/**
 * Where no completion of a problem is right and one was before, the latest right one takes the place of the group's last
 * member, before advantages are computed. It is off-policy: its log-probs are those of the policy that sampled it, so that
 * its ratio is clipped as any other. Does nothing for problems that are asked once: it wants a source that asks them again.
 */
import type { Json } from '../../options/json.ts';
import { key, whole } from '../../options/keys.ts';
import { problemKey } from '../ledger.ts';
import { method } from '../method.ts';
import type { RolloutStrategy } from '../points.ts';
import type { Rollout, RolloutGroup } from '../records.ts';
import { meanOf } from '../statistics.ts';
import { fromPlain, toPlain } from './plain_rollout.ts';
import { isUnsolved } from './unsolved.ts';

/** A right completion, in plain data, and the optimizer steps of the stage when it was sampled. */
interface Success {
  readonly step: number;
  readonly rollout: Json;
}

/** Problems whose latest success is kept; beyond, those solved longest ago are forgotten. */
const REMEMBERED = 4096;

export const successReplay = method({
  id: 'success-replay',
  about: {
    does: 'Puts an earlier right completion into a group that has none.',
    formula: 'where all rewards of correctness are 0: the last member ← the latest success, at most max_age steps old',
    source: '2509.24107',
    certainty: 'after the paper',
  },
  options: {
    oldestSuccess: key(
      'max_age',
      whole({ least: 1, most: 1_000_000, example: 50 })
        .default(100)
        .describe('Optimizer steps after which a success is no longer replayed. Default 100.'),
    ),
  },
  create: ({ oldestSuccess }): RolloutStrategy => {
    /** In the order in which they were solved. */
    const successes = new Map<string, Success>();
    const remember = ({ item, rollouts }: RolloutGroup, step: number): void => {
      // Under a prompt with a hint it is no success at the problem as it is asked.
      const right = rollouts.find(({ verdict, prompt }) => verdict.score === 1 && prompt === undefined);
      if (right === undefined) return;
      successes.delete(problemKey(item));
      successes.set(problemKey(item), { step, rollout: toPlain(right) });
      const [oldest] = successes.keys();
      if (successes.size > REMEMBERED) successes.delete(oldest);
    };
    return {
      async rollOut(requests, next, { step, metric, regroup }) {
        const groups = await next(requests);
        const ages: number[] = [];
        const given = groups.map((group) => {
          const known = successes.get(problemKey(group.item));
          if (!isUnsolved(group) || known === undefined || step - known.step > oldestSuccess) return group;
          ages.push(step - known.step);
          return regroup(group, [...group.rollouts.slice(0, -1), replayed(known.rollout)]);
        });
        metric('hits', ages.length / Math.max(1, groups.length));
        if (ages.length > 0) metric('age', meanOf(ages));
        for (const group of groups) remember(group, step);
        return given;
      },
      state: () => [...successes].map(([problem, { step, rollout }]) => [problem, step, rollout]),
      restore(state) {
        successes.clear();
        const rows = state as readonly (readonly [string, number, Json])[]; // written by `state`
        for (const [problem, step, rollout] of rows) {
          fromPlain(rollout); // throws where it is none
          successes.set(problem, { step, rollout });
        }
      },
    };
  },
});

function replayed(plain: Json): Rollout {
  return { ...fromPlain(plain), isOffPolicy: true, origin: 'replay' };
}
