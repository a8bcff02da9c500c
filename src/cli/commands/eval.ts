/** `rlvr-train eval --run DIR`: all held-out problems, greedy and sampled. */
import type { TaskSet } from '../../data/task_set.ts';
import { printable } from '../../format.ts';
import { evaluate } from '../../grpo/evaluate.ts';
import { evaluationMetrics } from '../../grpo/metrics.ts';
import { stageOf, type TrainingRun } from '../../grpo/run.ts';
import type { InferenceLoad } from '../../planning/capacity.ts';
import { print, printJson } from '../display/output.ts';
import { evaluationLine, exampleLine } from '../display/reporter.ts';
import { type InferenceFlags, openTrained } from '../runs/open_trained.ts';

/** Of whatever is evaluated. */
export interface EvaluationOptions {
  readonly samples: number;
  readonly json?: boolean;
}

export interface EvalOptions extends InferenceFlags, EvaluationOptions {
  readonly run: string;
}

export async function evalCommand(options: EvalOptions): Promise<void> {
  const { samples } = options;
  const load = (tasks: TaskSet): InferenceLoad => ({ prompts: tasks.heldOutItems().length, samples });
  const { run, from, close } = await openTrained(options.run, options, load);
  try {
    await showEvaluation(run, from, options);
  } finally {
    await close();
  }
}

/** @param from  where the weights are, for the first line */
export async function showEvaluation(run: TrainingRun, from: string, options: EvaluationOptions): Promise<void> {
  const { samples, json } = options;
  const stage = stageOf(run);
  // All held-out problems, whatever the evaluations of the training asked.
  const { evalSteps } = stage.evaluation;
  const evaluation = await evaluate(run, { ...stage, evaluation: { evalSteps, samples } });
  if (json) {
    printJson(JSON.stringify(evaluationMetrics(evaluation)));
    return;
  }
  print(`${printable(`${from}: ${run.tasks.name}`)}, ${evaluation.accuracy.count} held-out problems`);
  print(evaluationLine(evaluation));
  for (const example of evaluation.examples) print(exampleLine(example));
}
