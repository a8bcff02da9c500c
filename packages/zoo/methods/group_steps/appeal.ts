/**
 * The sample also says how often the reward misses a right completion. False positives are not looked for: whatever was
 * called right is taken to be right.
 */
import { type GroupStep, type Json, keys, method, number, text } from '../kit.ts';
import { changeConflict, mapRollouts, paysReward, targetOf } from '../support/rewards/reward_parts.ts';

/** Weight of the newest round in the moving averages. */
const NEWEST = 0.1;

interface Rates {
  /** Share of what is called wrong that is right. */
  overturned: number | null;
  /** Share of what is called right. */
  right: number | null;
}

export const appeal = method({
  id: 'appeal',
  about: {
    does: "Checks a sample of what a reward calls wrong by the task's verifier.",
    formula: 'R ← 1 where checked and right; ρ1 = q·(1 − p)/(q·(1 − p) + p), q overturned, p called right',
    source: '2510.00915',
    certainty: 'after the paper',
  },
  options: keys({
    reward: text('accuracy').default('accuracy').describe('The weaker check.'),
    share: number({ above: 0, max: 1, example: 0.2 })
      .default(0.2)
      .describe('Share of what is called wrong that is checked.'),
  }),
  conflict: changeConflict,
  pays: paysReward('changes', 'accuracy'),
  readsVerdicts: 'some',
  create: ({ reward, share }, stage): GroupStep => {
    const target = targetOf(stage, reward);
    const rates: Rates = { overturned: null, right: null };
    return {
      scope: 'group',
      apply(groups, { rng, metric }) {
        const seen = { right: 0, all: 0, checked: 0, overturned: 0 };
        const judged = mapRollouts(groups, (rollout) => {
          const value = target.read(rollout);
          if (value === null) return rollout;
          seen.all++;
          const isDrawn = rng.float() < share; // one draw for each
          if (value === 1) seen.right++;
          if (value === 1 || !isDrawn) return rollout;
          seen.checked++;
          if (rollout.verdict.score !== 1) return rollout;
          seen.overturned++;
          return target.write(rollout, 1);
        });
        if (seen.all > 0) rates.right = moved(rates.right, seen.right / seen.all);
        if (seen.checked > 0) {
          rates.overturned = moved(rates.overturned, seen.overturned / seen.checked);
          metric('overturned', seen.overturned / seen.checked);
        }
        if (rates.right !== null && rates.overturned !== null) {
          const missed = rates.overturned * (1 - rates.right);
          metric('false_negatives', missed / Math.max(Number.MIN_VALUE, missed + rates.right));
        }
        return judged;
      },
      state: () => ({ ...rates }),
      restore(state: Json) {
        Object.assign(rates, state as unknown as Rates); // written by `state`
      },
    };
  },
});

function moved(before: number | null, now: number): number {
  return before === null ? now : before + NEWEST * (now - before);
}
