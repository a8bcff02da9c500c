/** What is known of sampled tokens before they are credited, where a method asks for it: a scoring pass for each figure. */
import type { Rollout, RolloutGroup } from '../methods/records.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import type { PackedBatch } from '../model/batch.ts';
import { packBatch, splitUnits } from '../model/batch.ts';
import { uniformDivergences } from '../model/distributions.ts';
import { tokenGroups } from './credit.ts';
import { groupParts } from './group_parts.ts';
import { type TrainingRun, timed } from './run.ts';
import type { StepScope } from './step_scope.ts';
import { microBatchCapacity } from './update.ts';

/** The groups with the figures of those that go on to the update; the others are as they were. */
export async function withSampledFigures(
  run: TrainingRun,
  stage: GrpoStageConfig,
  scope: StepScope,
  groups: readonly RolloutGroup[],
): Promise<readonly RolloutGroup[]> {
  const { needs, rolloutStrategies } = scope.methods;
  if (needs.sampled.length === 0) return groups;
  const going = rolloutStrategies.reduce((all, { part }) => part.select?.(all) ?? all, groups);
  const capacity = microBatchCapacity(run, stage, scope);
  const parts = going.flatMap((group) => groupParts(group, capacity.completions));
  const scored = new Map<RolloutGroup, Rollout[]>(going.map((group) => [group, []]));
  await timed(run, 'update', async () => {
    for (const own of splitUnits(parts, tokenGroups, capacity)) {
      const figures = await figuresOf(run, stage, scope, packBatch(own.flatMap(tokenGroups)), own);
      let next = 0;
      for (const group of own) {
        const rollouts = group.rollouts.map((rollout) => ({ ...rollout, ...figures[next++] }));
        scored.get(group.whole ?? group)?.push(...rollouts);
      }
    }
  });
  return groups.map((group) => ({ ...group, rollouts: scored.get(group) ?? group.rollouts }));
}

type Figures = Pick<Rollout, 'refLogprobs' | 'uniformKl'>;

/** Of each rollout of a batch. */
async function figuresOf(
  { policy }: TrainingRun,
  { sampling: { temperature } }: GrpoStageConfig,
  { methods: { needs } }: StepScope,
  batch: PackedBatch,
  groups: readonly RolloutGroup[],
): Promise<Figures[]> {
  const rollouts = groups.flatMap((group) => group.rollouts);
  let uniform: Float32Array[] | undefined;
  if (needs.sampled.includes('uniformKl')) {
    const { distributions = new Float32Array() } = await policy.score(batch, temperature, 'policy', {
      distributions: true,
    });
    const absent = rollouts.map(({ tokens }) => new Float32Array(tokens.length));
    uniform = byRollout(batch, uniformDivergences(distributions, policy.shape.vocabSize), absent);
  }
  let reference: Float32Array[] | undefined;
  if (needs.sampled.includes('refLogprobs')) {
    const { logprobs } = await policy.score(batch, temperature, 'reference');
    // Of a token that was put in its own, so that the two do not differ.
    const absent = rollouts.map((rollout) => Float32Array.from(rollout.logprobs));
    reference = byRollout(batch, logprobs, absent);
  }
  return rollouts.map((_, i) => ({
    ...(reference && { refLogprobs: reference[i] }),
    ...(uniform && { uniformKl: uniform[i] }),
  }));
}

/** @param into  [rollouts][tokens], written where a token has a loss row */
function byRollout({ completionOf, tokenOf }: PackedBatch, rows: Float32Array, into: Float32Array[]): Float32Array[] {
  for (let row = 0; row < completionOf.length; row++) into[completionOf[row]][tokenOf[row]] = rows[row];
  return into;
}

/** Groups without the figures, which nothing behind the credit reads, and no checkpoint holds. */
export function withoutSampledFigures<G extends RolloutGroup>(groups: readonly G[]): readonly G[] {
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map(({ refLogprobs: _, uniformKl: __, ...rollout }) => rollout),
  }));
}
