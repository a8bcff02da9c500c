/**
 * From collected groups to credited ones: selects groups for the update, estimates advantages, shapes and masks them.
 */

import type { StageMethods } from '../../methods/create.ts';
import type { AdvantageEstimator } from '../../methods/points.ts';
import type { CreditedGroup, RolloutGroup } from '../../methods/records.ts';
import { counts } from '../../methods/support/credit/baseline.ts';
import { hasAdvantage } from '../../methods/support/credit/map_advantages.ts';
import { addTokenCredit, returnsToGo } from '../../methods/support/credit/token_returns.ts';
import { groupByPrefix, type TokenGroup } from '../../model/batch.ts';
import type { Policy } from '../../model/policy.ts';
import { shapeBatch } from '../rollout/group_steps.ts';
import { byKind, mapSolvingGroups } from '../rollout/kinds.ts';
import type { Step } from '../step.ts';

/**
 * The groups of the update, in order. Dead groups have no policy gradient. Unless a strategy drops them they count in
 * the step's sizes (as in TRL), and join the update if a term acts without an advantage.
 */
export function selectGroups(step: Step, groups: readonly RolloutGroup[]): readonly RolloutGroup[] {
  return shapeBatch(step, selectedByStrategies(step, groups));
}

/** Those that the strategies of a stage leave in the batch. */
export function selectedByStrategies(
  { methods: { rolloutStrategies } }: Step,
  groups: readonly RolloutGroup[],
): readonly RolloutGroup[] {
  return mapSolvingGroups(groups, (solve) =>
    rolloutStrategies.reduce((all, { part }) => part.select?.(all) ?? all, solve),
  );
}

/** Whether a selected group moves the weights: a dead one only through a term that needs no advantage. */
export function actsInUpdate({ lossTerms }: StageMethods, group: RolloutGroup): boolean {
  return !group.dead || lossTerms.some(({ part }) => part.actsWithoutAdvantage);
}

/**
 * The tokens of a group for packing: consecutive rollouts trained under the same prompt share its rows. Completions
 * keep their order.
 */
export function tokenGroups({ prompt, rollouts }: RolloutGroup): TokenGroup[] {
  return groupByPrefix(
    rollouts.map(({ tokens, labels, support, prompt: own }) => ({ prefix: own ?? prompt, tokens, labels, support })),
  );
}

/** Estimates advantages of all groups at once, since the scale may span the batch, then applies the credit steps. */
export async function creditGroups(
  policy: Policy,
  step: Step,
  groups: readonly RolloutGroup[],
): Promise<readonly CreditedGroup[]> {
  const { creditSteps } = step.methods;
  const kinds = byKind(groups);
  const ofKind: (readonly (readonly [RolloutGroup, Estimated])[])[] = [];
  for (const kindGroups of kinds) {
    const estimates = await estimate(policy, step, kindGroups);
    ofKind.push(kindGroups.map((group, i) => [group, estimates[i]]));
  }
  const estimated = new Map(ofKind.flat());
  const credited = groups.map((group): CreditedGroup => {
    // A group step may call a group dead whose rewards differ.
    const credit = group.dead
      ? { advantages: new Float32Array(group.rollouts.length) }
      : (estimated.get(group) as Estimated);
    return { ...group, ...credit };
  });
  return creditSteps
    .reduce<readonly CreditedGroup[]>((all, { id, part }) => part.apply(all, step.context(id)), paidByToken(credited))
    .map((group) => (group.dead || hasAdvantage(group) ? group : { ...group, dead: true })); // it came to nothing
}

/** Adds strategies' rewards for single tokens to the advantages, after which they are dropped. */
function paidByToken(groups: readonly CreditedGroup[]): readonly CreditedGroup[] {
  if (!groups.some(({ rollouts }) => rollouts.some(({ tokenRewards }) => tokenRewards))) return groups;
  return addTokenCredit(groups, ({ tokenRewards }) => tokenRewards && returnsToGo(tokenRewards, 1)).map((group) => ({
    ...group,
    rollouts: group.rollouts.map(({ tokenRewards: _, ...rollout }) => rollout),
  }));
}

type Estimated = ReturnType<AdvantageEstimator['estimate']>[number];

/** Advantages of groups of one kind; the engine has room for those of a generation batch that solve. */
async function estimate(policy: Policy, step: Step, groups: readonly RolloutGroup[]): Promise<readonly Estimated[]> {
  const { id, part } = step.methods.advantageEstimator;
  const isOnDevice = part.device !== undefined && groups[0].kind === undefined;
  return isOnDevice ? estimateOnDevice(policy, part.device, groups) : part.estimate(groups, step.context(id));
}

/** Uses the engine's kernel. Rollouts whose reward does not count get 0. */
async function estimateOnDevice(
  policy: Policy,
  scale: NonNullable<AdvantageEstimator['device']>,
  groups: readonly RolloutGroup[],
): Promise<Pick<CreditedGroup, 'advantages'>[]> {
  const countedRewards = groups.map(({ rollouts }) =>
    rollouts.flatMap((rollout, i) => (counts(rollout) ? [{ reward: rollout.reward, i }] : [])),
  );
  const offsets = new Int32Array(groups.length + 1);
  countedRewards.forEach((rewards, g) => {
    offsets[g + 1] = (offsets[g] ?? 0) + rewards.length;
  });
  const rewards = Float32Array.from(countedRewards.flat(), ({ reward }) => reward);
  const { advantages } = await policy.advantages(rewards, offsets, scale);
  return groups.map((group, g) => {
    const groupAdvantages = new Float32Array(group.rollouts.length);
    countedRewards[g]?.forEach(({ i }, place) => {
      groupAdvantages[i] = advantages[(offsets[g] ?? 0) + place] ?? 0;
    });
    return { advantages: groupAdvantages };
  });
}
