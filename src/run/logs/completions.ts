/**
 * Lines of completions.jsonl: some groups of each step, every completion with verdict, reward and advantage. `reward` is
 * the one that was trained on, `rewards` are what the reward functions gave.
 */

import type { CreditedGroup } from '../../methods/records.ts';
import { givenRewards } from '../../methods/support/rewards/given_rewards.ts';
import type { JsonObject } from '../json.ts';
import { provenanceOf } from './provenance.ts';

/** Groups kept per step: enough to read along, little enough that a long run stays small. */
const GROUPS_A_STEP = 2;

/**
 * @param rewardNames the reward functions of the stage, in the order of a rollout's `rewardParts`
 * @param textOf      what tokens write
 */
export function completionRecords(
  step: number,
  groups: readonly CreditedGroup[],
  rewardNames: readonly string[],
  textOf: (tokens: Int32Array) => string,
): JsonObject[] {
  return groups.slice(0, GROUPS_A_STEP).flatMap((group, index) =>
    group.rollouts.map((rollout, member) => ({
      step,
      group: index,
      prompt: group.item.prompt,
      completion: rollout.text,
      status: rollout.verdict.status,
      reason: rollout.verdict.reason,
      finish_reason: rollout.finishReason,
      ...provenanceOf(rollout, textOf),
      reward: rollout.reward,
      rewards: Object.fromEntries(rewardNames.map((name, i) => [name, givenRewards(rollout).rewardParts[i] ?? null])),
      advantage: group.advantages[member] ?? 0,
    })),
  );
}
