/** Group-relative advantages of collected groups, and which groups an update is made of. */
import type { GrpoStageConfig } from '../config/stage_config.ts';
import type { CreditedGroup, RolloutGroup } from '../methods/records.ts';
import type { Policy } from '../model/policy.ts';

/**
 * The groups that take part in the update, in order: the first `promptsPerStep` live ones. Dead groups have no
 * policy gradient; without refill they stay in the step's sizes (as in TRL), and in the update where a KL term or
 * an entropy bonus acts on them.
 */
export function selectGroups(stage: GrpoStageConfig, groups: readonly RolloutGroup[]): readonly RolloutGroup[] {
  if (stage.dynamicSampling.name === 'none') return groups;
  return groups.filter((group) => !group.dead).slice(0, stage.promptsPerStep);
}

/** Whether a selected group moves the weights: a dead one only through a KL term or an entropy bonus. */
export function actsInUpdate(stage: GrpoStageConfig, group: RolloutGroup): boolean {
  return !group.dead || stage.klCoef !== 0 || stage.entropyCoef !== 0;
}

/** Advantages of all groups at once, since the scale may span the batch. Rollouts without a reward get 0. */
export async function creditGroups(
  policy: Policy,
  stage: GrpoStageConfig,
  groups: readonly RolloutGroup[],
): Promise<CreditedGroup[]> {
  const known = groups.map(({ rollouts }) =>
    rollouts.flatMap(({ reward }, i) => (reward === null ? [] : [{ reward, i }])),
  );
  const offsets = new Int32Array(groups.length + 1);
  known.forEach((rewards, g) => {
    offsets[g + 1] = (offsets[g] ?? 0) + rewards.length;
  });
  const rewards = Float32Array.from(known.flat(), ({ reward }) => reward);
  const { advantages } = await policy.advantages(rewards, offsets, stage.scaleRewards);
  return groups.map((group, g) => {
    const own = new Float32Array(group.rollouts.length);
    known[g]?.forEach(({ i }, place) => {
      own[i] = advantages[(offsets[g] ?? 0) + place] ?? 0;
    });
    return { ...group, advantages: own };
  });
}
