/**
 * What the policy says of rollouts that it did not sample as the stage samples them, before the first step on their batch:
 * their ratio is then to that policy, and the rest of the way to whatever sampled them is a weight (`decoupled`).
 */
import type { CreditedGroup, Rollout, RolloutGroup } from '../../methods/records.ts';
import type { GrpoStageConfig } from '../../methods/stage.ts';
import { packBatch, splitUnits } from '../../model/batch.ts';
import { type TrainingRun, timed } from '../run.ts';
import type { StepScope } from '../step_scope.ts';
import { actsInUpdate, tokenGroups } from '../update/credit.ts';
import { groupParts } from '../update/group_parts.ts';
import { microBatchCapacity } from '../update/update.ts';

/** The groups with these log-probs, where a method asks for them: one scoring pass of the off-policy rollouts alone. */
export async function withProximalLogprobs(
  run: TrainingRun,
  stage: GrpoStageConfig,
  scope: StepScope,
  groups: readonly CreditedGroup[],
): Promise<readonly CreditedGroup[]> {
  if (!scope.methods.needs.proximal) return groups;
  const capacity = microBatchCapacity(run, stage, scope);
  const parts = groups
    .filter((group) => actsInUpdate(scope.methods, group))
    .flatMap(({ item, prompt, dead, rollouts }) => {
      const stale = rollouts.filter(({ isOffPolicy, inLoss }) => isOffPolicy && inLoss !== false);
      return stale.length === 0
        ? []
        : groupParts<RolloutGroup>({ item, prompt, dead, rollouts: stale }, capacity.completions);
    });
  const found = new Map<Rollout, Float32Array>();
  await timed(run, 'update', async () => {
    for (const micro of splitUnits(parts, tokenGroups, capacity)) {
      const batch = packBatch(micro.flatMap(tokenGroups));
      const { logprobs } = await run.policy.score(batch, stage.sampling.temperature);
      const own = micro.flatMap(({ rollouts }) => rollouts);
      for (const rollout of own) found.set(rollout, new Float32Array(rollout.tokens.length));
      logprobs.forEach((value, row) => {
        (found.get(own[batch.completionOf[row]]) as Float32Array)[batch.tokenOf[row]] = value;
      });
    }
  });
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => {
      const proximalLogprobs = found.get(rollout);
      return proximalLogprobs === undefined ? rollout : { ...rollout, proximalLogprobs };
    }),
  }));
}
