/** Credits a collected batch: adds the figures that methods read, and drops them afterwards. */
import { NumericsError } from '../../errors.ts';
import type { Collected, CreditedGroup, RolloutGroup } from '../../methods/records.ts';
import { lossTokens } from '../../methods/tokens.ts';
import { states } from '../../methods/uses/states.ts';
import type { Engine } from '../engine.ts';
import type { Journal } from '../journal.ts';
import { withoutSampledFigures, withSampledFigures } from '../score/sampled_figures.ts';
import type { Step } from '../step.ts';
import { actsInUpdate, creditGroups, selectGroups } from './credit.ts';

/** Estimates advantages of all groups at once, then shapes and masks them. */
export async function creditBatch(
  engine: Engine,
  step: Step,
  journal: Journal,
  drawn: readonly RolloutGroup[],
): Promise<readonly CreditedGroup[]> {
  const groups = await withSampledFigures(engine, step, journal, drawn);
  const credited = await creditGroups(engine.policy, step, selectGroups(step, groups));
  const { uses } = step.methods;
  const isPlain = uses.figures.length === 0 && !uses.has(states());
  return isPlain ? credited : withoutSampledFigures(credited);
}

/** Tokens of a batch that carry a loss, each counted once. */
export function trainedTokens({ methods }: Step, groups: readonly CreditedGroup[]): number {
  const acting = groups.filter((group) => actsInUpdate(methods, group));
  return acting.flatMap(({ rollouts }) => rollouts).reduce((sum, rollout) => sum + lossTokens(rollout), 0);
}

/**
 * Detects overflowing weights that leave no trace in the gradient, before anything is learned from their samples.
 * @throws NumericsError
 */
export function assertFinite({ number }: Step, { groups }: Collected): void {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const bad = rollouts.flatMap(({ logprobs }) => logprobs.find((value) => !Number.isFinite(value)) ?? []).at(0);
  if (bad === undefined) return;
  throw new NumericsError(
    'non-finite',
    `step ${number + 1}: the policy samples tokens of log-prob ${bad}: its weights are no longer usable.\n` +
      '  Lower learning_rate, and start again or resume an earlier checkpoint.',
    { step: number, value: String(bad) },
  );
}
