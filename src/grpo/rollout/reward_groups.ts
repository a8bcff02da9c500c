/** Verifies the completions of requests and pays them what the stage's reward functions say: one group each. */

import type { GroupRequest } from '../../methods/points.ts';
import type { Rollout, RolloutGroup } from '../../methods/records.ts';
import type { Completion } from '../../model/sampling/generation.ts';
import { rewardLabel } from '../../rewards/module_file.ts';
import { combineRewards, type RewardBatch, scoreRewards } from '../../rewards/reward_function.ts';
import type { Engine } from '../engine.ts';
import type { Step } from '../step.ts';
import { answeredItems, judgedCompletions, rewardBatch } from './complete.ts';
import { type Exclusions, rewardFailed } from './exclusions.ts';
import type { Rewarder } from './kinds.ts';
import { wantsOf } from './wants.ts';

/** @param excluded  counts what a failed reward leaves out of the step */
export function rewarder(engine: Engine, step: Step, excluded: Exclusions): Rewarder {
  return (requests, completions) => rewardGroups(engine, step, excluded, requests, completions);
}

async function rewardGroups(
  { tasks }: Engine,
  { stage, number, methods, rewards: weighted }: Step,
  excluded: Exclusions,
  requests: readonly GroupRequest[],
  completions: readonly (readonly Completion[])[],
): Promise<RolloutGroup[]> {
  const items = requests.map(({ item }) => item);
  const verified = await judgedCompletions(tasks, items, completions, wantsOf(methods.uses));
  const answered = answeredItems(items, verified);
  const batch: RewardBatch = {
    ...rewardBatch(answered, { step: number, progress: number / stage.optimizer.maxSteps }),
    judge: (row, completion) => tasks.verify(answered[row].item, completion, { finishReason: 'eos' }),
  };
  const { rewards: parts, failures } = await scoreRewards(
    weighted.map(({ reward }) => reward),
    batch,
  );
  // Trained on without it, the policy would learn something that nobody asked for.
  if (failures.length > 0 && stage.rewardOnError !== 'exclude') throw rewardFailed(failures);
  const out = excluded.add(failures, batch.completions.length);
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
        ...(origin !== undefined && { origin }),
        ...(prompt !== undefined && { prompt }),
        ...(temperature !== stage.sampling.temperature && { isOffPolicy: true }),
      };
    });
    return { item, prompt: tasks.promptTokens(item), rollouts, dead: false };
  });
}
