/**
 * How much a run computes, known before it starts, in rows that go through the network: 1 for a row that is prefilled,
 * sampled or scored, 3 for one that is trained on (its backward pass is twice its forward pass), 2 where the rollout has
 * left its forward pass.
 *
 * Seconds per row agree within about 15 % between supervised steps, rollouts, updates and evaluations of one run (measured
 * on the three shipped configs), so those of the stage under way tell how long the stages to come will take.
 */

import type { RunConfig } from '../config/run_config.ts';
import { fittingItem } from '../data/prompts/prompt_limit.ts';
import type { TaskSet } from '../data/task_set.ts';
import { evaluatedItems } from '../grpo/evaluate.ts';
import { completionLimit } from '../grpo/rollout/completion_end.ts';
import { usesMethod, weightOf } from '../methods/chosen.ts';
import type { GrpoStageConfig, StageConfig } from '../methods/stage.ts';
import { planCapacity } from './capacity.ts';

/** A row's passes, in forward passes. */
const FORWARD = 1;
const BACKWARD = 2;
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

export function typicalLengths(tasks: TaskSet, seed: number): TypicalLengths {
  let prompt = 0;
  let completion = 0;
  for (let index = 0; index < PROBLEMS; index++) {
    const { item } = fittingItem(tasks, seed, index);
    prompt += tasks.promptTokens(item).length / PROBLEMS;
    completion += tasks.demonstrationTokens(item, seed, index).length / PROBLEMS;
  }
  return { prompt, completion };
}

/**
 * The work of every stage, with answers of typical length and a typical share of dead groups.
 *
 * @param keepsForward  whether rollouts leave their forward pass to the update
 */
export function plannedWork(
  config: RunConfig,
  tasks: TaskSet,
  keepsForward: boolean = planCapacity(config, tasks).keptRows > 0,
): readonly StageWork[] {
  const lengths = typicalLengths(tasks, config.seed);
  return config.stages.map((stage, index): StageWork => {
    const shown = stage.stage === 'sft' ? tasks.supervised(index) : tasks;
    const { prompt, completion: typical } = shown === tasks ? lengths : typicalLengths(shown, config.seed);
    const completion = Math.min(typical, completionLimit(shown, stage));
    const answer = Math.min(lengths.completion, completionLimit(tasks, stage));
    return {
      stage: stage.stage,
      steps: stage.optimizer.maxSteps,
      perStep: rowsOfStep(stage, { prompt, completion }, keepsForward),
      evaluations: evaluationsIn(stage, index === config.stages.length - 1),
      perEvaluation:
        evaluatedItems(tasks, stage).length * (2 * lengths.prompt + (1 + stage.evaluation.samples) * answer), // greedy and sampled prefill apart
    };
  });
}

function rowsOfStep(stage: StageConfig, { prompt, completion }: TypicalLengths, keepsForward: boolean): number {
  if (stage.stage === 'sft') return (FORWARD + BACKWARD) * stage.batch.sequencesPerStep * (prompt + completion - 1);
  const { numGenerations: size, numIterations, optimizerStepsPerGeneration: minibatches, promptsPerStep } = stage.batch;
  const perKept = Math.max(1, weightOf(stage.methods, 'oversampling'));
  const drafts =
    weightOf(stage.methods, 'drafts') +
    weightOf(stage.methods, 'draft_samples') * weightOf(stage.methods, 'draft_rounds');
  const judging =
    (weightOf(stage.methods, 'verify_share') + weightOf(stage.methods, 'judge_share')) * (prompt + completion);
  const own = prompt + (perKept * size + drafts) * completion + judging;
  const sampled = drawnGroups(stage) * (own + helpedRows(stage, { prompt, completion }));
  const trained = promptsPerStep * (prompt + size * (completion - 1));
  const passes = numIterations * (FORWARD + BACKWARD) - (keepsForward ? FORWARD : 0); // only the first iteration has it
  // Demonstrations that a term of the loss trains on beside the rollouts, at each optimizer step.
  const replayed = weightOf(stage.methods, 'replay_count') * (FORWARD + BACKWARD) * (prompt + completion - 1);
  return (sampled + passes * trained) / (numIterations * minibatches) + replayed;
}

/**
 * Rows of what strategies sample again of a group where nothing in it is right, with a hint or the answer in sight: on
 * average, with the share of dead groups for the share of those without a right one, and for that of groups that a hint
 * does not help.
 */
function helpedRows({ methods, batch }: GrpoStageConfig, { prompt, completion }: TypicalLengths): number {
  const rowsOf = (samples: number): number => (samples === 0 ? 0 : prompt + samples * completion);
  const levels = weightOf(methods, 'hint_levels');
  const inTurn = usesMethod(methods, 'hint-resample') ? levels : 0;
  let rounds = 0;
  for (let level = 0; level < inTurn; level++) rounds += TYPICAL_DEAD_SHARE ** level;
  const once = ['answer_samples', 'refine_samples', 'reroll_samples'].map((name) => rowsOf(weightOf(methods, name)));
  const atOnce = levels * rowsOf(weightOf(methods, 'level_samples'));
  const all = rounds * rowsOf(batch.numGenerations) + atOnce + once.reduce((sum, rows) => sum + rows, 0);
  return TYPICAL_DEAD_SHARE * all;
}

/** Groups drawn for a generation batch: with refill, dead ones are drawn again. */
function drawnGroups({ methods, batch: { promptsPerStep } }: GrpoStageConfig): number {
  const rounds = 1 + weightOf(methods, 'max_rounds');
  let share = 0;
  for (let round = 0; round < rounds; round++) share += TYPICAL_DEAD_SHARE ** round;
  return promptsPerStep * share;
}

/** A baseline before the first grpo step, one every eval_steps, and one after the last step of the run. */
function evaluationsIn({ stage, evaluation, optimizer }: StageConfig, isLast: boolean): number {
  const { evalSteps } = evaluation;
  const { maxSteps } = optimizer;
  const periodic = evalSteps > 0 ? Math.floor(maxSteps / evalSteps) : 0;
  const final = isLast && (evalSteps === 0 || maxSteps % evalSteps !== 0) ? 1 : 0;
  return (stage === 'grpo' ? 1 : 0) + periodic + final;
}
