/**
 * How much a run computes, known before it starts, in rows that go through the network: 1 for a row that is prefilled,
 * sampled or scored, 3 for one that is trained on (its backward pass is twice its forward pass).
 *
 * Seconds a row agree within about 15 % between supervised steps, rollouts, updates and evaluations of one run (measured
 * on the three shipped configs), so those of the stage under way tell how long the stages to come will take.
 */
import type { RunConfig } from '../config/run_config.ts';
import type { GrpoStageConfig, StageConfig } from '../config/stage_config.ts';
import type { Task } from '../data/task.ts';
import { completionLimit } from './capacity.ts';
import { evaluationSamples } from './evaluate.ts';

/** A trained row, in forward passes of one row. */
const TRAINED = 3;
/** Training problems that typical lengths are averaged over. */
const PROBLEMS = 64;
/** Share of dead groups over a whole run, as the shipped configs with refill have it. */
export const TYPICAL_DEAD_SHARE = 0.2;

/** Mean tokens of a training prompt, and of a demonstrated answer, EOS included. */
export interface TypicalLengths {
  readonly prompt: number;
  readonly completion: number;
}

/** The work of one stage, in rows. */
export interface StageWork {
  readonly stage: 'sft' | 'grpo';
  readonly steps: number;
  readonly perStep: number;
  /** Evaluations within the stage, and the rows of one. */
  readonly evaluations: number;
  readonly perEvaluation: number;
}

export function typicalLengths(task: Task, seed: number): TypicalLengths {
  let prompt = 0;
  let completion = 0;
  for (let index = 0; index < PROBLEMS; index++) {
    const item = task.trainItem(seed, index);
    prompt += task.promptTokens(item).length / PROBLEMS;
    completion += task.demonstrationTokens(item, seed, index).length / PROBLEMS;
  }
  return { prompt, completion };
}

/** The work of every stage, with answers of typical length and a typical share of dead groups. */
export function plannedWork(config: RunConfig, task: Task): readonly StageWork[] {
  const lengths = typicalLengths(task, config.seed);
  const problems = task.heldOutItems().length;
  return config.stages.map((stage, index): StageWork => {
    const { prompt } = lengths;
    const completion = Math.min(lengths.completion, completionLimit(task, stage));
    return {
      stage: stage.stage,
      steps: stage.maxSteps,
      perStep: rowsOfStep(stage, { prompt, completion }),
      evaluations: evaluationsIn(stage, index === config.stages.length - 1),
      perEvaluation: problems * (2 * prompt + (1 + evaluationSamples(stage)) * completion), // greedy and sampled prefill apart
    };
  });
}

function rowsOfStep(stage: StageConfig, { prompt, completion }: TypicalLengths): number {
  if (stage.stage === 'sft') return TRAINED * stage.sequencesPerStep * (prompt + completion - 1);
  const { numGenerations: size, numIterations, optimizerStepsPerGeneration: minibatches, promptsPerStep } = stage;
  const sampled = drawnGroups(stage) * (prompt + size * completion);
  const trained = TRAINED * promptsPerStep * (prompt + size * (completion - 1));
  return sampled / (numIterations * minibatches) + trained / minibatches;
}

/** Groups drawn for a generation batch: with refill, dead ones are drawn again. */
function drawnGroups({ dynamicSampling, promptsPerStep }: GrpoStageConfig): number {
  const rounds = dynamicSampling.name === 'refill' ? 1 + dynamicSampling.maxRounds : 1;
  let share = 0;
  for (let round = 0; round < rounds; round++) share += TYPICAL_DEAD_SHARE ** round;
  return promptsPerStep * share;
}

/** A baseline before the first grpo step, one every eval_steps, and one after the last step of the run. */
function evaluationsIn({ stage, evalSteps, maxSteps }: StageConfig, isLast: boolean): number {
  const periodic = evalSteps > 0 ? Math.floor(maxSteps / evalSteps) : 0;
  const final = isLast && (evalSteps === 0 || maxSteps % evalSteps !== 0) ? 1 : 0;
  return (stage === 'grpo' ? 1 : 0) + periodic + final;
}
