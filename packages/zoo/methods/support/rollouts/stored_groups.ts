/** Groups that a method keeps from step to step, in plain data: part of the checkpoint. */
import { groupFromPlain } from '../../../../../src/methods/support/rollouts/load_rollouts.ts';
import { requirePlainGroup } from '../../../../../src/methods/support/rollouts/rollout_forms.ts';
import { groupToPlain } from '../../../../../src/methods/support/rollouts/save_rollouts.ts';
import type { Json, RolloutGroup } from '../../kit.ts';

/** The fields of the group, as data, beside the step. */
export interface StoredGroup {
  /** Optimizer steps of the stage when it was sampled. */
  readonly step: number;
  readonly [field: string]: Json;
}

export function stored(group: RolloutGroup, step: number): StoredGroup {
  return { ...groupToPlain(group), step };
}

/** @throws TypeError where these are no groups */
export function requireStored(state: Json): readonly StoredGroup[] {
  const groups = (state as unknown as readonly StoredGroup[]) // written by `state` of the method
    .map((group) => ({ dead: false, ...group })); // checkpoints of before had live groups alone, and did not say so
  groups.forEach(requirePlainGroup);
  return groups;
}

/** The group as it was. */
export function restored(group: StoredGroup): RolloutGroup {
  return groupFromPlain(group);
}

/** As it is trained once more: of a policy that has moved on since. @param now  optimizer steps of the stage */
export function replayedGroup(group: StoredGroup, now: number): RolloutGroup {
  const { rollouts, ...rest } = restored(group);
  const age = now - group.step;
  return { ...rest, rollouts: rollouts.map((one) => ({ ...one, isOffPolicy: true, origin: 'replay', age })) };
}
