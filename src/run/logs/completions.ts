/**
 * Lines of completions.jsonl: some groups of each step, every completion with verdict, reward and advantage. `reward` is
 * the one that was trained on, `rewards` are what the reward functions gave.
 */

import type { CreditedGroup, Rollout } from '../../methods/records.ts';
import { givenRewards } from '../../methods/support/rewards/given_rewards.ts';
import type { LoggedField } from '../../methods/support/rollouts/rollout_fields.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { PROVENANCE, type Provenance, type TextOf } from './provenance.ts';

/** Groups kept per step: enough to read along, little enough that a long run stays small. */
const GROUPS_A_STEP = 2;

/** After these steps of a stage one in `each` is recorded: the file of a long run grows by a hundredth. */
const RARER = [
  { after: 1_000, each: 10 },
  { after: 10_000, each: 100 },
] as const;

/** Whether the completions of a step are recorded. It follows from the step alone, so that a resume records the same. */
export function isRecorded(step: number): boolean {
  return step % (RARER.findLast(({ after }) => step > after)?.each ?? 1) === 0;
}

/** A note after the step from which fewer are recorded. */
export function rarerNote(step: number): string | undefined {
  const rarer = RARER.find(({ after }) => after === step);
  return rarer && `completions.jsonl: from step ${step + 1} on it has one step in ${rarer.each}.`;
}

/** One completion, as a line holds it. */
export type CompletionLine = Provenance & {
  /** Optimizer step that it was sampled for, from 1. */
  readonly step: number;
  /** Its group in the step, from 0. */
  readonly group: number;
  readonly prompt: string;
  readonly completion: string;
  readonly status: Rollout['verdict']['status'];
  readonly reason: string;
  readonly finish_reason: Rollout['finishReason'];
  readonly reward: number | null;
  /** By the names of the reward functions. */
  readonly rewards: Readonly<Record<string, number | null>>;
  readonly advantage: number;
  /** What the reward functions logged, by column; absent: nothing. */
  readonly extra?: Rollout['extra'];
};

/** What a field of a rollout writes into its line. */
type Column = (rollout: Rollout, textOf: TextOf, rewardNames: readonly string[]) => Partial<CompletionLine>;

/** In the order of a line. A logged field without a column does not compile. */
const COLUMNS: Readonly<Record<LoggedField, Column>> = {
  text: ({ text }) => ({ completion: text }),
  verdict: ({ verdict: { status, reason } }) => ({ status, reason }),
  finishReason: ({ finishReason }) => ({ finish_reason: finishReason }),
  ...PROVENANCE,
  reward: ({ reward }) => ({ reward }),
  given: (rollout, _, names) => {
    const { rewardParts } = givenRewards(rollout);
    return { rewards: Object.fromEntries(names.map((name, i) => [name, rewardParts[i] ?? null])) };
  },
  extra: ({ extra }) => (extra === undefined ? {} : { extra }),
};

/**
 * @param rewardNames the reward functions of the stage, in the order of a rollout's `rewardParts`
 * @param textOf      what tokens write
 */
export function completionRecords(
  step: number,
  groups: readonly CreditedGroup[],
  rewardNames: readonly string[],
  textOf: TextOf,
): CompletionLine[] {
  return groups.slice(0, GROUPS_A_STEP).flatMap((group, index) =>
    group.rollouts.map((rollout, member) => ({
      step,
      group: index,
      prompt: group.item.prompt,
      ...(Object.assign({}, ...Object.values(COLUMNS).map((column) => column(rollout, textOf, rewardNames))) as Omit<
        CompletionLine,
        'step' | 'group' | 'prompt' | 'advantage'
      >), // every column of it
      advantage: group.advantages[member] ?? 0,
    })),
  );
}

/** A line as read: any version or program may have written it, so any field may be missing or malformed. */
export type ReadCompletionLine = JsonObject & { readonly [Name in keyof CompletionLine]?: JsonValue };
