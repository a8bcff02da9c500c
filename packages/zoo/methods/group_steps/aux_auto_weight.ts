/**
 * The correlation is within groups, among those in which the primary reward differs; until there is one, the primary
 * reward counts alone.
 */
import { rewardLabel } from '../../../../src/rewards/module_file.ts';
import { type GroupStep, type Json, key, keys, meanOf, method, number, type RolloutGroup, text } from '../kit.ts';
import { mapRollouts, rewardIndex, unknownReward } from '../support/rewards/reward_parts.ts';

/** Sums of products of deviations from the means of the groups. */
interface Moments {
  xy: number;
  xx: number;
  yy: number;
}

interface Kept {
  /** Step of the stage that the moments are of. */
  step: number;
  /** [rewards]; null: none was seen yet. */
  correlations: (number | null)[];
  moments: Moments[];
}

const noMoments = (): Moments => ({ xy: 0, xx: 0, yy: 0 });

export const auxAutoWeight = method({
  id: 'aux-auto-weight',
  about: {
    does: 'Weighs further rewards by how well they go with the one that matters.',
    formula: 'R = primary + Σ_k weight_k·max(0, EMA corr(R_k, primary))·R_k',
    source: 'own',
    certainty: 'own',
    when: 'Where it is not known which auxiliary rewards go with the main one; correlations of few completions are noisy.',
  },
  options: keys({
    primaryReward: key('primary', text('accuracy').default('accuracy').describe('What matters.')),
    memory: number({ min: 0, below: 1, example: 0.9 }).default(0.9).describe('Share of the average that stays.'),
  }),
  conflict: ({ primary }, _, stage) => unknownReward(stage, primary),
  pays: { does: 'makes' },
  create: ({ primaryReward, memory }, stage): GroupStep => {
    const primary = rewardIndex(stage, primaryReward);
    const { rewards } = stage;
    const kept: Kept = { step: 0, correlations: rewards.map(() => null), moments: rewards.map(noMoments) };
    const settle = (step: number): void => {
      kept.correlations = kept.correlations.map((before, k) => {
        const { xy, xx, yy } = kept.moments[k];
        if (xx <= 0 || yy <= 0) return before;
        const now = xy / Math.sqrt(xx * yy);
        return before === null ? now : memory * before + (1 - memory) * now;
      });
      Object.assign(kept, { step, moments: rewards.map(noMoments) });
    };
    return {
      scope: 'group',
      apply(groups, { step, metric }) {
        if (step !== kept.step) settle(step);
        rewards.forEach((reward, k) => {
          if (k === primary) return;
          for (const group of groups) addMoments(kept.moments[k], group, k, primary);
          metric(`corr/${rewardLabel(reward)}`, kept.correlations[k] ?? 0);
        });
        return mapRollouts(groups, (rollout) => {
          const { rewardParts } = rollout;
          if (rewardParts.every((part) => part === null)) return { ...rollout, reward: null };
          const reward = rewards.reduce((sum, { weight }, k) => {
            const factor = k === primary ? 1 : weight * Math.max(0, kept.correlations[k] ?? 0);
            return factor === 0 ? sum : sum + factor * (rewardParts[k] ?? 0);
          }, 0);
          return { ...rollout, reward };
        });
      },
      state: () => structuredClone(kept) as unknown as Json,
      restore(state: Json) {
        Object.assign(kept, structuredClone(state as unknown as Kept)); // written by `state`
      },
    };
  },
});

/** Adds a group in which the primary reward differs; rewards that do not apply are left out. */
function addMoments(moments: Moments, { rollouts }: RolloutGroup, k: number, primary: number): void {
  const pairs = rollouts.flatMap(({ rewardParts }): [number, number][] => {
    const [x, y] = [rewardParts[k], rewardParts[primary]];
    return x === null || y === null || x === undefined || y === undefined ? [] : [[x, y]];
  });
  const isEqual = (place: 0 | 1): boolean => pairs.every((pair) => pair[place] === pairs[0][place]);
  if (isEqual(1)) return;
  const [centerX, centerY] = [meanOf(pairs.map(([x]) => x)), meanOf(pairs.map(([, y]) => y))];
  const isFlat = isEqual(0); // a mean may miss equal values by a bit
  for (const [x, y] of pairs) {
    const [dx, dy] = [isFlat ? 0 : x - centerX, y - centerY];
    moments.xy += dx * dy;
    moments.xx += dx * dx;
    moments.yy += dy * dy;
  }
}
