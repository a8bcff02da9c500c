/** Verifies the completions of requests and applies the stage's reward functions: one group each. */

import type { GroupRequest } from '../../methods/points.ts';
import type { Rollout, RolloutGroup } from '../../methods/records.ts';
import type { Completion } from '../../model/sampling/generation.ts';
import { rewardLabel } from '../../rewards/module_file.ts';
import { combineRewards, type RewardBatch, scoreRewards } from '../../rewards/reward_function.ts';
import type { Engine } from '../engine.ts';
import { attentively } from '../interruption.ts';
import type { Step } from '../step.ts';
import { answeredItems, judgedCompletions, rewardBatch } from './complete.ts';
import { type Exclusions, rewardFailed } from './exclusions.ts';
import type { Rewarder } from './kinds.ts';
import type { LoggedMetrics } from './logged_metrics.ts';
import { wantsOf } from './wants.ts';

/** What rewarding a batch produces besides its groups. */
export interface RewardSinks {
  /** Counts completions that a failed reward excludes. */
  readonly excluded: Exclusions;
  readonly logged: LoggedMetrics;
}

export function rewarder(engine: Engine, step: Step, sinks: RewardSinks): Rewarder {
  return (requests, completions) => rewardGroups(engine, step, sinks, requests, completions);
}

async function rewardGroups(
  engine: Engine,
  { stage, number, methods, rewards: weighted }: Step,
  { excluded, logged }: RewardSinks,
  requests: readonly GroupRequest[],
  completions: readonly (readonly Completion[])[],
): Promise<RolloutGroup[]> {
  const items = requests.map(({ item }) => item);
  const { tasks } = engine;
  const { weightsVersion } = engine.generator;
  const verified = await attentively(engine, judgedCompletions(tasks, items, completions, wantsOf(methods.uses)));
  const answered = answeredItems(items, verified);
  const batch: RewardBatch = {
    ...rewardBatch(answered, { step: number, progress: number / stage.optimizer.maxSteps, weightsVersion }),
    judge: (row, completion) => tasks.verify(answered[row].item, completion, { finishReason: 'eos' }),
  };
  const {
    rewards: parts,
    failures,
    logs,
  } = await attentively(
    engine,
    scoreRewards(
      weighted.map(({ reward }) => reward),
      batch,
    ),
  );
  // Without this reward the policy would learn another objective than the configured one.
  if (failures.length > 0 && stage.rewardOnError !== 'exclude') throw rewardFailed(failures);
  const out = excluded.add(failures, batch.completions.length);
  logged.add(logs);
  const totals = combineRewards(
    parts,
    weighted.map(({ weight }) => weight),
    stage.rewards.map((reward) => stage.rewardGate?.[rewardLabel(reward)]),
  );
  const isShaped = stage.methods.groupSteps.length > 0;
  let next = 0;
  return requests.map(({ item, prompt, origin, temperatures }, i): RolloutGroup => {
    const rollouts = (verified[i] ?? []).map((completion, place): Rollout => {
      const at = next++;
      const isOut = out.has(at);
      const temperature = temperatures?.[place] ?? stage.sampling.temperature;
      const given = {
        rewardParts: parts.map((values) => (isOut ? null : (values[at] ?? null))),
        reward: isOut ? null : (totals[at] ?? null),
      };
      return {
        ...completion,
        ...given,
        ...(isOut && { inLoss: false }),
        ...(isShaped && { given }),
        ...(logs.columns.length > 0 && {
          extra: Object.fromEntries(logs.columns.map(([column, values]) => [column, values[at] ?? null])),
        }),
        ...(origin !== undefined && { origin }),
        ...(prompt !== undefined && { prompt }),
        ...(temperature !== stage.sampling.temperature && { isOffPolicy: true }),
      };
    });
    return { item, prompt: tasks.promptTokens(item), rollouts, dead: false };
  });
}
