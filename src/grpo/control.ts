/** Lets the controllers of a stage act, after a step and after an evaluation. */
import type { Levers } from '../methods/points.ts';
import type { Evaluation, StepMetrics } from '../methods/records.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import type { TrainingRun } from './run.ts';
import { openStep, type StepScope } from './step_scope.ts';

/** @returns the metrics, and what the controllers have logged */
export async function controlAfterStep(
  run: TrainingRun,
  stage: GrpoStageConfig,
  metrics: StepMetrics,
): Promise<StepMetrics> {
  const scope = openStep(run, stage);
  for (const { id, part } of scope.methods.controllers) await part.afterStep?.(metrics, leversOf(run, scope, id));
  return { ...metrics, ...scope.logged };
}

export async function controlAfterEvaluation(
  run: TrainingRun,
  stage: GrpoStageConfig,
  evaluation: Evaluation,
): Promise<void> {
  const scope = openStep(run, stage);
  for (const { id, part } of scope.methods.controllers) {
    await part.afterEvaluation?.(evaluation, leversOf(run, scope, id));
  }
}

/** The step's number is that of the step just taken: levers say what holds from the next one on. */
function leversOf(run: TrainingRun, scope: StepScope, id: string): Levers {
  return {
    ...scope.context(id),
    copyToReference: () => run.policy.copyToReference(),
    mixIntoReference: (share) => run.policy.mixIntoReference(share),
  };
}
