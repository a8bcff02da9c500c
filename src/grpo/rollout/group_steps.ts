/** Applies the group steps of a stage to rollouts before credit, then marks dead groups. */

import type { GroupStep } from '../../methods/points.ts';
import type { Rollout, RolloutGroup } from '../../methods/records.ts';
import { deviationOf, meanOf } from '../../methods/statistics.ts';
import { hasEqualRewards } from '../../methods/support/credit/baseline.ts';
import type { Completion } from '../../model/sampling/generation.ts';
import type { RolloutRows } from '../../model/sampling/kept_rollouts.ts';
import type { Step } from '../step.ts';
import { CallContexts } from './call_contexts.ts';
import { mapSolvingGroups, solving } from './kinds.ts';

/** Steps of scope `group` over the rounds of one generation batch. A logged number is the mean over its groups. */
export class GroupRounds {
  readonly #step: Step;
  readonly #steps: readonly { readonly part: GroupStep; readonly contexts: CallContexts }[];

  constructor(step: Step) {
    this.#step = step;
    this.#steps = step.methods.groupSteps
      .filter(({ part }) => part.scope === 'group')
      .map(({ id, part }) => ({ part, contexts: new CallContexts(step, id) }));
  }

  /** The groups of one round, shaped. */
  apply(groups: readonly RolloutGroup[]): readonly RolloutGroup[] {
    const shaped = mapSolvingGroups(groups, (solve) =>
      this.#steps.reduce((all, { part, contexts }) => part.apply(all, contexts.next(all.length)), solve),
    );
    return withDead(
      this.#step,
      shaped.map((group) => (group.dead ? { ...group, ruledOut: true } : group)),
    );
  }
}

/** Applies steps of scope `batch` to all groups that reach the update, then logs how all steps changed the rewards. */
export function shapeBatch(step: Step, groups: readonly RolloutGroup[]): readonly RolloutGroup[] {
  const { groupSteps } = step.methods;
  if (groupSteps.length === 0) return groups;
  const ofBatch = groupSteps.filter(({ part }) => part.scope === 'batch');
  const shaped = mapSolvingGroups(groups, (solve) =>
    ofBatch.reduce((all, { id, part }) => part.apply(all, step.context(id)), solve),
  );
  const marked = ofBatch.length === 0 ? shaped : withDead(step, shaped);
  const { metric } = step.context('group_steps');
  const rewards = solving(marked).flatMap(({ rollouts }) => rollouts.flatMap(rewardOf));
  metric('reward', meanOf(rewards));
  metric('reward_std', deviationOf(rewards));
  return marked;
}

function rewardOf({ reward }: Rollout): readonly number[] {
  return reward === null ? [] : [reward];
}

/** The group with other rollouts, which may differ in reward and so revive a dead group. */
export function regrouped(step: Step, group: RolloutGroup, rollouts: readonly Rollout[]): RolloutGroup {
  return withDead(step, [{ ...group, rollouts, dead: group.ruledOut ?? false }])[0];
}

/** A group is dead once a step or the estimator says so, and stays dead. */
function withDead({ methods }: Step, groups: readonly RolloutGroup[]): readonly RolloutGroup[] {
  const isDead = methods.advantageEstimator.part.isDead ?? hasEqualRewards;
  return groups.map((group) => ({ ...group, dead: group.dead || isDead(group) }));
}

/**
 * Finds the rows of each group after steps may have removed or moved groups and completions.
 *
 * @param completions  [places][completions] as they were sampled
 * @returns undefined if a group has a completion that was not sampled under its prompt
 */
export function placesAfter(
  groups: readonly RolloutGroup[],
  completions: readonly (readonly Completion[])[],
  places: readonly RolloutRows[],
): readonly RolloutRows[] | undefined {
  const sampled = new Map(completions.flatMap((own, i) => own.map(({ tokens }, j) => [tokens, { i, j }] as const)));
  const groupRows = groups.map(({ rollouts }): RolloutRows | undefined => {
    const at = rollouts.map(({ tokens }) => sampled.get(tokens));
    const place = places[at[0]?.i ?? -1];
    if (place === undefined) return undefined;
    const members = at.flatMap((member) => (member !== undefined && member.i === at[0]?.i ? [member.j] : []));
    if (members.length < rollouts.length) return undefined;
    return {
      ...place,
      rows: members.map((j) => place.rows[j] as Int32Array),
      kvBegins: members.map((j) => place.kvBegins[j] as number),
    };
  });
  return groupRows.every((place) => place !== undefined) ? groupRows : undefined;
}
