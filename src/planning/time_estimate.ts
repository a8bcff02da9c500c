/**
 * How long a run will take, from real steps of each stage on throw-away weights.
 *
 * Weights that have learned nothing sample to the limit and solve nothing, so the timed steps are given what a
 * trained policy would give: answers as long as the demonstrations, and rewards that leave a typical share of the groups
 * dead. Everything else is the run itself: its loop, its batches, its refills, its evaluation.
 */

import { withFixedLength } from '../data/task_set.ts';
import { completionLimit } from '../grpo/completion_end.ts';
import { evaluate } from '../grpo/evaluate.ts';
import { initialState, type TrainingRun } from '../grpo/run.ts';
import { train } from '../grpo/trainer.ts';
import type { GrpoStageConfig, StageConfig } from '../methods/stage.ts';
import type { RewardFunction } from '../rewards/reward_function.ts';
import { plannedWork, TYPICAL_DEAD_SHARE, typicalLengths } from './work.ts';

/** Seconds of each stage that are spent on warming up and on measuring; at least one cycle each. */
const WARM_UP_SECONDS = 0.4;
const MEASURED_SECONDS = 1.6;
const ENDLESS = Number.MAX_SAFE_INTEGER;

export interface StageEstimate {
  readonly stage: 'sft' | 'grpo';
  readonly steps: number;
  readonly secondsPerStep: number;
  /** Steps that were measured. */
  readonly measured: number;
}

export interface RunEstimate {
  readonly stages: readonly StageEstimate[];
  readonly evaluations: number;
  readonly secondsPerEvaluation: number;
  /** All of it. */
  readonly seconds: number;
  /** Completion tokens of every answer in the timed steps. */
  readonly completionTokens: number;
}

/** Times steps of each stage of a run that was just opened: its state stays, its weights are worth nothing afterwards. */
export async function estimateTime(run: TrainingRun): Promise<RunEstimate> {
  const { config, tasks } = run;
  const longest = Math.min(...config.stages.map((stage) => completionLimit(tasks, stage)));
  const completionTokens = Math.min(longest, Math.round(typicalLengths(tasks, config.seed).completion));
  const timedRun: TrainingRun = {
    ...run,
    tasks: withFixedLength(tasks, completionTokens),
    rewards: config.stages.map((stage) =>
      stage.stage === 'grpo' ? [{ reward: typicalReward(stage), weight: 1 }] : [],
    ),
    // Without an end, so that short stages can be measured like long ones.
    config: { ...config, stages: config.stages.map(endless) },
  };
  const stages: StageEstimate[] = [];
  for (const [index, stage] of config.stages.entries()) {
    const at = { ...timedRun, state: { ...initialState(), stageIndex: index } };
    stages.push({ stage: stage.stage, steps: stage.optimizer.maxSteps, ...(await measureSteps(at, stage)) });
  }
  const start = run.clock();
  await evaluate(timedRun, config.stages[config.stages.length - 1] as StageConfig); // a run has at least one stage
  const secondsPerEvaluation = (run.clock() - start) / 1000;
  const evaluations = plannedWork(config, tasks).reduce((sum, work) => sum + work.evaluations, 0);
  const training = stages.reduce((sum, { steps, secondsPerStep }) => sum + steps * secondsPerStep, 0);
  const seconds = training + evaluations * secondsPerEvaluation;
  return { stages, evaluations, secondsPerEvaluation, seconds, completionTokens };
}

function endless(stage: StageConfig): StageConfig {
  const optimizer = { ...stage.optimizer, maxSteps: ENDLESS };
  return { ...stage, optimizer, evaluation: { ...stage.evaluation, evalSteps: 0 } };
}

/** Whole cycles, from one rollout to the next: the steps between are shorter. The first cycles only warm up. */
async function measureSteps(
  run: TrainingRun,
  stage: StageConfig,
): Promise<{ readonly secondsPerStep: number; readonly measured: number }> {
  const cycle = stepsInCycle(stage);
  let start = run.clock();
  let warm: { readonly at: number; readonly step: number } | undefined;
  for await (const event of train(run)) {
    if (event.type === 'evaluation') start = run.clock(); // the baseline, before the first step
    if (event.type !== 'step' || event.step % cycle !== 0) continue;
    const now = run.clock();
    if (warm !== undefined && now - warm.at >= MEASURED_SECONDS * 1000) {
      const measured = event.step - warm.step;
      return { secondsPerStep: (now - warm.at) / 1000 / measured, measured };
    }
    if (now - start >= WARM_UP_SECONDS * 1000) warm ??= { at: now, step: event.step };
  }
  throw new RangeError('a timed stage has no end');
}

/** Optimizer steps from one rollout to the next. */
function stepsInCycle(stage: StageConfig): number {
  if (stage.stage === 'sft') return 1;
  const { optimizerStepsPerGeneration, promptsPerStep, numIterations } = stage.batch;
  return Math.min(optimizerStepsPerGeneration, promptsPerStep) * numIterations;
}

/** Of every few groups one is dead; in the others, every second completion is right. */
function typicalReward({ batch: { numGenerations } }: GrpoStageConfig): RewardFunction {
  const every = Math.round(1 / TYPICAL_DEAD_SHARE);
  const isDead = (group: number): boolean => group % every === every - 1;
  return {
    name: 'typical',
    score: ({ completions }) => completions.map((_, i) => (isDead(Math.floor(i / numGenerations)) ? 0 : i % 2)),
  };
}
