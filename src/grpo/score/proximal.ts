/**
 * What the policy says of rollouts that it did not sample as the stage samples them, before the first step on their batch:
 * their ratio is then to that policy, and the rest of the way to whatever sampled them is a weight (`decoupled`).
 */
import type { CreditedGroup } from '../../methods/records.ts';
import type { GrpoStageConfig } from '../../methods/stage.ts';
import { type TrainingRun, timed } from '../run.ts';
import type { StepScope } from '../step_scope.ts';
import { actsInUpdate } from '../update/credit.ts';
import { scoreSequences } from './score_sequences.ts';

/** The groups with these log-probs, where a method asks for them: one scoring pass of the off-policy rollouts alone. */
export async function withProximalLogprobs(
  run: TrainingRun,
  stage: GrpoStageConfig,
  scope: StepScope,
  groups: readonly CreditedGroup[],
): Promise<readonly CreditedGroup[]> {
  if (!scope.methods.needs.proximal) return groups;
  const stale = groups
    .filter((group) => actsInUpdate(scope.methods, group))
    .flatMap(({ prompt, rollouts }) =>
      rollouts
        .filter(({ isOffPolicy, inLoss }) => isOffPolicy && inLoss !== false)
        .map((rollout) => ({
          prefix: rollout.prompt ?? prompt,
          tokens: rollout.tokens,
          labels: rollout.labels,
          rollout,
        })),
    );
  const { temperature } = stage.sampling;
  const scores = await timed(run, 'update', () => scoreSequences(run.policy, stale, { temperature }));
  const found = new Map(stale.map(({ rollout }, i) => [rollout, scores[i].logprobs]));
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => {
      const proximalLogprobs = found.get(rollout);
      return proximalLogprobs === undefined ? rollout : { ...rollout, proximalLogprobs };
    }),
  }));
}
