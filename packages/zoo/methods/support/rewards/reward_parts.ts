/**
 * What group steps share: a reward of the stage by its name, or the total, to read and to write. That what one writes is not
 * undone by the next is a rule of `payment_rules.ts`.
 */
import { ConfigError } from '../../../../../src/errors.ts';
import type { GrpoStageConfig, MethodsConfig } from '../../../../../src/methods/stage.ts';
import { nearestKey } from '../../../../../src/options/nearest_name.ts';
import { rewardLabel } from '../../../../../src/rewards/module_file.ts';
import { combineRewards } from '../../../../../src/rewards/reward_function.ts';
import { counts, type Json, key, optional, type Payment, type Rollout, type RolloutGroup, text } from '../../kit.ts';

/** One number of a rollout: a reward, or the total. */
export interface Target {
  read(rollout: Rollout): number | null;
  write(rollout: Rollout, value: number | null): Rollout;
}

type Written = Readonly<Record<string, Json>>;

/** The option that names the reward which a step changes. */
export const changedReward = key(
  'reward',
  optional(text('accuracy')).describe('The reward that it changes, by its name. Default: the total.'),
);

/** The option that names a reward; without a default it must be given. */
export function rewardKey(yaml: string, what: string, example = 'accuracy') {
  return key(yaml, text(example).describe(what));
}

/** Place of a reward in `rewardParts`. @throws ConfigError where the stage has none of this name */
export function rewardIndex(stage: GrpoStageConfig, name: string): number {
  const index = stage.rewards.findIndex((reward) => rewardLabel(reward) === name);
  if (index >= 0) return index;
  throw new ConfigError('unknown-reward', `group_steps: ${JSON.stringify(name)} — ${unknownRule(stage, name)}.`, {
    name,
  });
}

/** Reads a reward of a rollout by its name; null where it does not apply. */
export function readerOf(stage: GrpoStageConfig, name: string): Target['read'] {
  const index = rewardIndex(stage, name);
  return ({ rewardParts }) => rewardParts[index] ?? null;
}

/** A reward by its name, or the total. Where a reward changes, all are added up again, by the weights and gates of the stage. */
export function targetOf(stage: GrpoStageConfig, name: string | undefined): Target {
  if (name === undefined) return { read: ({ reward }) => reward, write: (rollout, reward) => ({ ...rollout, reward }) };
  const index = rewardIndex(stage, name);
  const weights = stage.rewards.map(({ weight }) => weight);
  const gates = stage.rewards.map((reward) => stage.rewardGate?.[rewardLabel(reward)]);
  return {
    read: readerOf(stage, name),
    write(rollout, value) {
      const rewardParts = rollout.rewardParts.map((part, i) => (i === index ? value : part));
      const [reward] = combineRewards(
        rewardParts.map((part) => [part]),
        weights,
        gates,
      );
      return { ...rollout, rewardParts, reward };
    },
  };
}

/** The groups with other rollouts, one for each. */
export function mapRollouts(
  groups: readonly RolloutGroup[],
  map: (rollout: Rollout) => Rollout,
): readonly RolloutGroup[] {
  return groups.map((group) => ({ ...group, rollouts: group.rollouts.map(map) }));
}

/**
 * The groups with another value for each that the target has and that counts in the baseline of its group.
 *
 * @param map  from the values of one group to the new ones, in the same order
 */
export function mapWithinGroups(
  groups: readonly RolloutGroup[],
  target: Target,
  map: (values: readonly number[]) => readonly number[],
): readonly RolloutGroup[] {
  const has = (rollout: Rollout): boolean => counts(rollout) && target.read(rollout) !== null;
  return groups.map((group) => {
    const values = map(group.rollouts.flatMap((rollout) => (has(rollout) ? [target.read(rollout) ?? 0] : [])));
    let next = 0;
    return {
      ...group,
      rollouts: group.rollouts.map((rollout) => (has(rollout) ? target.write(rollout, values[next++]) : rollout)),
    };
  });
}

function unknownRule({ rewards }: GrpoStageConfig, name: string): string {
  const known = rewards.map(rewardLabel);
  const nearest = nearestKey(name, known);
  const remedy =
    nearest === undefined
      ? 'add it to reward_funcs, with weight 0 if it is not to count by itself'
      : `the nearest is ${nearest}`;
  return `no reward of this stage (${known.join(', ')}); ${remedy}`;
}

/** The first of the names that options give that is no reward of the stage, as a conflict. */
export function unknownReward(stage: GrpoStageConfig, ...names: readonly (Json | undefined)[]): string | undefined {
  if (stage.rewards.length === 0) return undefined; // they are broken, and reported already
  const known = stage.rewards.map(rewardLabel);
  const unknown = names.find((name) => typeof name === 'string' && !known.includes(name));
  return typeof unknown === 'string' ? `${JSON.stringify(unknown)} is ${unknownRule(stage, unknown)}` : undefined;
}

/** The rule of a method that may change a reward by the option `reward`: there is such a reward. */
export function changeConflict(written: Written, _: MethodsConfig, stage: GrpoStageConfig): string | undefined {
  return unknownReward(stage, written.reward);
}

/** What it pays: the reward that its option `reward` names, and otherwise the total, or the reward `fallback`. */
export function paysReward(does: Payment['does'], fallback?: string): (written: Written) => Payment {
  return ({ reward = fallback }) => (typeof reward === 'string' ? { does, reward } : { does });
}
