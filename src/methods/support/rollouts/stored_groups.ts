/** Groups that a method keeps from step to step, in plain data: part of the checkpoint. */
import type { TaskItem } from '../../../data/task.ts';
import type { Json } from '../../../options/json.ts';
import type { RolloutGroup } from '../../records.ts';
import { fromPlain } from './load_rollouts.ts';
import { requirePlain } from './rollout_forms.ts';
import { toPlain } from './save_rollouts.ts';

export interface StoredGroup {
  /** Optimizer steps of the stage when it was sampled. */
  readonly step: number;
  readonly item: TaskItem;
  readonly prompt: readonly number[];
  readonly rollouts: readonly Json[];
}

export function stored({ item, prompt, rollouts }: RolloutGroup, step: number): StoredGroup {
  return { step, item, prompt: [...prompt], rollouts: rollouts.map(toPlain) };
}

/** @throws TypeError where these are no groups */
export function requireStored(state: Json): readonly StoredGroup[] {
  const groups = state as unknown as readonly StoredGroup[]; // written by `state` of the method
  for (const { item, prompt, rollouts } of groups) {
    if (typeof item.prompt !== 'string' || prompt.length === 0) throw new TypeError('a stored group of another form');
    for (const rollout of rollouts) requirePlain(rollout);
  }
  return groups;
}

/** A live group as it was. */
export function restored({ item, prompt, rollouts }: StoredGroup): RolloutGroup {
  return { item, prompt: Int32Array.from(prompt), rollouts: rollouts.map(fromPlain), dead: false };
}

/** As it is trained once more: of a policy that has moved on since. @param now  optimizer steps of the stage */
export function replayedGroup(group: StoredGroup, now: number): RolloutGroup {
  const { rollouts, ...rest } = restored(group);
  const age = now - group.step;
  return { ...rest, rollouts: rollouts.map((one) => ({ ...one, isOffPolicy: true, origin: 'replay', age })) };
}
