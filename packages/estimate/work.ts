/**
 * How much a run computes, known before it starts, in rows that go through the network: 1 for a row that is prefilled,
 * sampled or scored, 3 for one that is trained on (its backward pass is twice its forward pass), 2 where the rollout has
 * left its forward pass.
 *
 * Seconds per row agree within about 15 % between supervised steps, rollouts, updates and evaluations of one run (measured
 * on the three shipped configs), so those of the stage under way tell how long the stages to come will take.
 */

import type { RunConfig } from '../../src/config/run_config.ts';
import { fittingItem } from '../../src/data/prompts/prompt_limit.ts';
import type { TaskSet } from '../../src/data/task_set.ts';
import { evaluatedItems } from '../../src/grpo/evaluate.ts';
import { completionLimit } from '../../src/grpo/rollout/completion_end.ts';
import type { Member } from '../../src/methods/method.ts';
import { keepsForward as mayKeepForward } from '../../src/methods/sampling_modes/modes.ts';
import type { StageConfig } from '../../src/methods/stage.ts';
import type { TypicalLengths, Work } from '../../src/methods/work.ts';
import { openedTokens } from '../../src/model/batch_openings.ts';
import { sharedTokens } from '../../src/model/sampling/openings.ts';
import { BACKWARD, FORWARD } from './rows.ts';

/** Training problems that typical lengths are averaged over. */
const PROBLEMS = 64;
/** Those whose prompts say what all prompts begin with. */
const OPENED = 8;
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
    const { length } = tasks.demonstrationTokens(item, seed, index);
    // EOS alone: a row without an answer, which a verifier judges. Such answers end at the limit, as far as anybody knows.
    completion += (length > 1 ? length : Number.POSITIVE_INFINITY) / PROBLEMS;
  }
  return { prompt, completion };
}

/** Rows of prompts that are sampled together: what all begin with is computed once. */
function promptRows(prompts: number, length: number, shared: number): number {
  return prompts === 0 ? 0 : shared + prompts * (length - shared);
}

/**
 * The work of every stage, with answers of typical length and a typical share of dead groups.
 *
 * @param members  [stages] the methods of each
 * @param keepsForward  whether rollouts leave their forward pass to the update
 */
export function plannedWork(
  config: RunConfig,
  tasks: TaskSet,
  members: readonly (readonly Member[])[],
  keepsForward: boolean,
): readonly StageWork[] {
  const lengths = typicalLengths(tasks, config.seed);
  const opened = Array.from({ length: OPENED }, (_, index) => fittingItem(tasks, config.seed, index).item);
  const shared = sharedTokens(opened.map((item) => tasks.promptTokens(item)));
  return config.stages.map((stage, index): StageWork => {
    const shown = stage.stage === 'sft' ? tasks.supervised(index) : tasks;
    const { prompt, completion: typical } = shown === tasks ? lengths : typicalLengths(shown, config.seed);
    const completion = Math.min(typical, completionLimit(shown, stage));
    const answer = Math.min(lengths.completion, completionLimit(tasks, stage));
    return {
      stage: stage.stage,
      steps: stage.optimizer.maxSteps,
      perStep: rowsOfStep(stage, { prompt, completion }, shared, keepsForward, members[index]),
      evaluations: evaluationsIn(stage, index === config.stages.length - 1),
      // Greedy and sampled answers compute their prompts apart.
      perEvaluation:
        2 * promptRows(evaluatedItems(tasks, stage).length, lengths.prompt, shared) +
        evaluatedItems(tasks, stage).length * (1 + stage.evaluation.samples) * answer,
    };
  });
}

function rowsOfStep(
  stage: StageConfig,
  { prompt, completion }: TypicalLengths,
  shared: number,
  keepsForward: boolean,
  members: readonly Member[],
): number {
  const trainedRows = (prompts: number, size: number): number =>
    promptRows(prompts, prompt, openedTokens(shared)) + prompts * size * (completion - 1);
  if (stage.stage === 'sft') return (FORWARD + BACKWARD) * trainedRows(stage.batch.sequencesPerStep, 1);
  const { numGenerations: size, numIterations, optimizerStepsPerGeneration: minibatches, promptsPerStep } = stage.batch;
  const { groups, samples, rows, stepRows, scores } = workOf(members, { prompt, completion });
  const asked = promptsPerStep * groups;
  const sampled = promptRows(asked, prompt, shared) + asked * (samples * size * completion + rows);
  const trained = trainedRows(promptsPerStep, size);
  const isKept = keepsForward && !scores && mayKeepForward(stage);
  const passes = numIterations * (FORWARD + BACKWARD) - (isKept ? FORWARD : 0); // only the first iteration has it
  return (sampled + passes * trained) / (numIterations * minibatches) + stepRows;
}

/** What the methods of a stage ask together; of a schedule, where it asks for most. */
function workOf(
  members: readonly Member[],
  lengths: TypicalLengths,
): Omit<Required<Work>, 'scores'> & { scores: boolean } {
  const all = members.map((member) => member.works(lengths));
  const most = (works: readonly Work[], of: (work: Work) => number): number => Math.max(...works.map(of));
  const asking = all.filter((works) => works.length > 0);
  return {
    groups: asking.reduce((product, works) => product * most(works, ({ groups = 1 }) => groups), 1),
    samples: asking.reduce((product, works) => product * most(works, ({ samples = 1 }) => samples), 1),
    rows: asking.reduce((sum, works) => sum + most(works, ({ rows = 0 }) => rows), 0),
    stepRows: asking.reduce((sum, works) => sum + most(works, ({ stepRows = 0 }) => stepRows), 0),
    scores: asking.some((works) => works.some(({ scores }) => scores)),
  };
}

/** A baseline before the first grpo step, one every eval_steps, and one after the last step of the run. */
function evaluationsIn({ stage, evaluation, optimizer }: StageConfig, isLast: boolean): number {
  const { evalSteps } = evaluation;
  const { maxSteps } = optimizer;
  const periodic = evalSteps > 0 ? Math.floor(maxSteps / evalSteps) : 0;
  const final = isLast && (evalSteps === 0 || maxSteps % evalSteps !== 0) ? 1 : 0;
  return (stage === 'grpo' ? 1 : 0) + periodic + final;
}
