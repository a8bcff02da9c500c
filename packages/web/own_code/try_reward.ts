/** A reward on completions of training problems: of the policy as it is now, or of a group that it has sampled. */
import { RlvrError } from '../../../src/errors.ts';
import { type AnsweredItem, answeredItems, completeItems, rewardBatch } from '../../../src/grpo/rollout/complete.ts';
import { type ConfiguredModel, type Progress, samplingKey, stageOf } from '../../../src/grpo/run.ts';
import type { RolloutGroup } from '../../../src/methods/records.ts';
import { wholeVocabulary } from '../../../src/model/sampling/generation.ts';
import { combineRewards, type RewardFunction, scoreRewards } from '../../../src/rewards/reward_function.ts';
import type { TriedCompletion } from '../browser_run.ts';

/** On new completions. @throws RlvrError `reward-failed` in the reward's own words */
export async function tryReward(
  run: ConfiguredModel & Progress,
  reward: RewardFunction,
  count: number,
): Promise<TriedCompletion[]> {
  const { tasks } = run.engine;
  const stage = run.config.stages.find((candidate) => candidate.stage === 'grpo') ?? stageOf(run);
  const items = Array.from({ length: Math.ceil(count / 4) }, (_, i) => tasks.trainItem(run.config.seed, i));
  const each = Math.ceil(count / items.length);
  const completions = await completeItems(run.engine, items, {
    samples: each,
    sampling: stage.stage === 'grpo' ? stage.sampling : wholeVocabulary(1),
    samplingKey: samplingKey(run.config.seed, 'sample'),
    stage,
  });
  return scored(run, reward, answeredItems(items, completions).slice(0, count));
}

/** On the answers of a group. @throws RlvrError `reward-failed` in the reward's own words */
export function tryOnGroup(run: Progress, reward: RewardFunction, group: RolloutGroup): Promise<TriedCompletion[]> {
  return scored(run, reward, answeredItems([group.item], [group.rollouts]));
}

async function scored(
  run: Progress,
  reward: RewardFunction,
  rows: readonly AnsweredItem[],
): Promise<TriedCompletion[]> {
  const batch = rewardBatch(rows, { step: run.journal.state.step, progress: 0 });
  const { rewards, failures, logs } = await scoreRewards([reward], batch);
  if (failures.length > 0) throw new RlvrError('reward-failed', failures.map(({ message }) => message).join('\n'));
  const totals = combineRewards(rewards, [1]);
  return rows.map(({ item: { prompt }, completion: { text, verdict } }, i) => ({
    prompt,
    text,
    verdict,
    reward: totals[i] ?? null,
    extra: Object.fromEntries(logs.columns.map(([column, values]) => [column, values[i] ?? null])),
  }));
}
