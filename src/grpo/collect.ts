/** Collects groups: draw prompts, sample G completions each, verify them, score them, refill dead groups. */

import type { GrpoStageConfig } from '../config/stage_config.ts';
import type { TaskItem } from '../data/task.ts';
import { PluginError } from '../errors.ts';
import type { Collected, Rollout, RolloutGroup } from '../methods/records.ts';
import { isDead } from '../methods/records.ts';
import type { Completion, KeptGeneration } from '../model/generation.ts';
import type { RolloutRows } from '../model/kept_rollouts.ts';
import { combineRewards, scoreRewards } from '../rewards/reward_function.ts';
import { answeredItems, rewardBatch, sampleKept, verifyCompletions } from './complete.ts';
import { actsInUpdate } from './credit.ts';
import type { TrainingRun } from './run.ts';
import { drawing, samplingKey, timed } from './run.ts';

/**
 * `promptsPerStep` groups. With `dynamic_sampling: refill`, dead groups are replaced by groups of further prompts,
 * for at most `max_rounds` more rounds; all drawn groups are returned, dead ones included.
 *
 * @throws PluginError where a reward function fails; the run is then at rest, as before the batch
 */
export async function collectGroups(run: TrainingRun, stage: GrpoStageConfig): Promise<Collected> {
  return drawing(run, () => drawGroups(run, stage));
}

async function drawGroups(run: TrainingRun, stage: GrpoStageConfig): Promise<Collected> {
  const refills = stage.dynamicSampling.name === 'refill' ? stage.dynamicSampling.maxRounds : 0;
  const groups: RolloutGroup[] = [];
  let rounds = 0;
  run.policy.forgetKept();
  for (let missing = stage.promptsPerStep; missing > 0 && rounds <= refills; rounds++) {
    const items = drawItems(run, missing);
    const { completions, places } = await timed(run, 'rollout', () => sample(run, stage, items));
    const scored = await timed(run, 'verify', () => score(run, stage, items, completions));
    groups.push(...scored);
    if (places !== undefined) await timed(run, 'rollout', () => keepForward(run, stage, scored, places));
    missing = stage.promptsPerStep - groups.filter((group) => !group.dead).length;
  }
  return { groups, rounds };
}

/** The next `count` items of the training stream. */
export function drawItems(run: TrainingRun, count: number): TaskItem[] {
  return Array.from({ length: count }, () => run.task.trainItem(run.config.seed, run.position.itemsDrawn++));
}

async function sample(run: TrainingRun, stage: GrpoStageConfig, items: readonly TaskItem[]): Promise<KeptGeneration> {
  const firstRollout = run.position.rolloutsDrawn;
  run.position.rolloutsDrawn += items.length * stage.numGenerations;
  return sampleKept(run, items, {
    samples: stage.numGenerations,
    firstRollout,
    sampling: stage,
    samplingKey: samplingKey(run.config.seed, 'rollout'),
    stage,
  });
}

/** Leaves the forward pass of the groups that the update will use where it needs it. */
async function keepForward(
  run: TrainingRun,
  stage: GrpoStageConfig,
  groups: readonly RolloutGroup[],
  places: readonly RolloutRows[],
): Promise<void> {
  const acting = groups.flatMap((group, i) => {
    const used = stage.dynamicSampling.name === 'refill' ? !group.dead : actsInUpdate(stage, group);
    return used ? [{ group, place: places[i] as RolloutRows }] : [];
  });
  await run.policy.keep(
    acting.map(({ group: { prompt, rollouts } }) => ({ prompt, completions: rollouts.map(({ tokens }) => tokens) })),
    acting.map(({ place }) => place),
  );
}

async function score(
  run: TrainingRun,
  stage: GrpoStageConfig,
  items: readonly TaskItem[],
  completions: readonly (readonly Completion[])[],
): Promise<RolloutGroup[]> {
  const verified = verifyCompletions(run.task, items, completions);
  const batch = rewardBatch(answeredItems(items, verified), {
    step: run.position.step,
    progress: run.position.step / stage.maxSteps,
  });
  const weighted = run.rewards[run.position.stageIndex] ?? [];
  const { rewards: parts, failures } = await scoreRewards(
    weighted.map(({ reward }) => reward),
    batch,
  );
  if (failures.length > 0) {
    // Trained on without it, the policy would learn something that nobody asked for.
    throw new PluginError('reward-failed', failures.map(({ message }) => message).join('\n'), { failures });
  }
  const totals = combineRewards(
    parts,
    weighted.map(({ weight }) => weight),
  );
  let next = 0;
  return items.map((item, i): RolloutGroup => {
    const rollouts = (verified[i] ?? []).map((completion): Rollout => {
      const at = next++;
      return { ...completion, rewardParts: parts.map((values) => values[at] ?? null), reward: totals[at] ?? null };
    });
    return { item, prompt: run.task.promptTokens(item), rollouts, dead: isDead(rollouts.map(({ reward }) => reward)) };
  });
}
