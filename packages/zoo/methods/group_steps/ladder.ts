import { z } from 'zod';
import { number, text } from '../../../../src/options/schemas.ts';
import { type GroupStep, keys, method, type Rollout } from '../kit.ts';
import { mapRollouts, readerOf, unknownReward } from '../support/rewards/reward_parts.ts';

const rung = z.strictObject(
  {
    reward: text('accuracy'),
    worth: number({ example: 1 }),
    from: number({ example: 1 }).default(1),
  },
  { error: 'must be a rung; for example {reward: accuracy, worth: 1}' },
);

const rungs = z
  .array(rung, { error: 'must be a list of rungs; for example [{reward: accuracy, worth: 1}]' })
  .min(1, { error: 'has no rung; for example [{reward: accuracy, worth: 1}]' })
  .meta({
    examples: [
      [
        { reward: 'positions', worth: 0.2, from: 0.5 },
        { reward: 'accuracy', worth: 0.8 },
      ],
    ],
  })
  .describe('From the bottom: a reward by its name, what the rung is worth, and from which value it is reached (1).');

/** A rung that does not apply to a completion is left out. */
export const ladder = method({
  id: 'ladder',
  about: {
    does: 'Pays for each level that a completion reaches, in their order.',
    formula: 'R = Σ_l worth_l·Π_{m≤l} 1[reward_m ≥ from_m]',
    source: 'own',
    certainty: 'own',
  },
  options: keys({ rungs: rungs }),
  conflict: (written, _, stage) =>
    unknownReward(stage, ...(written.rungs as z.input<typeof rungs>).map(({ reward }) => reward)), // read by its schema
  pays: { does: 'makes' },
  create: ({ rungs: steps }, stage): GroupStep => {
    const readers = steps.map(({ reward }) => readerOf(stage, reward));
    /** Whether each rung is reached; undefined for one that does not apply. */
    const reached = (rollout: Rollout): (boolean | undefined)[] => {
      let isUp = true;
      return steps.map(({ from }, l) => {
        const value = readers[l](rollout);
        if (value === null) return undefined;
        isUp = isUp && value >= from;
        return isUp;
      });
    };
    return {
      scope: 'group',
      apply(groups, { metric }) {
        const all = groups.flatMap(({ rollouts }) => rollouts.map(reached));
        steps.forEach(({ reward }, l) => {
          const asked = all.filter((one) => one[l] !== undefined);
          metric(reward, asked.filter((one) => one[l]).length / Math.max(1, asked.length));
        });
        return mapRollouts(groups, (rollout) => {
          const up = reached(rollout);
          if (up.every((one) => one === undefined)) return { ...rollout, reward: null };
          return { ...rollout, reward: steps.reduce((sum, { worth }, l) => (up[l] ? sum + worth : sum), 0) };
        });
      },
    };
  },
});
