/** What `eval` prints of an evaluation, whichever policy was asked. */
import { printable } from '../../format.ts';
import { evaluate } from '../../grpo/evaluate.ts';
import { evaluationMetrics } from '../../grpo/metrics.ts';
import type { Inference } from '../../run/open_run.ts';
import { print, printJson } from '../display/output.ts';
import { evaluationLine, exampleLine } from '../display/reporter.ts';

export interface EvaluationOptions {
  readonly samples: number;
  readonly json?: boolean;
}

/** @param stageIndex  whose evaluation it is, @param from  where the weights are, for the first line */
export async function showEvaluation(
  { config, engine, figures }: Inference,
  stageIndex: number,
  from: string,
  options: EvaluationOptions,
): Promise<void> {
  const { samples, json } = options;
  const stage = config.stages[stageIndex];
  const evaluator = { engine, figures: figures[stageIndex] ?? [], seed: config.seed };
  // All held-out problems, whatever the evaluations of the training asked.
  const { evalSteps } = stage.evaluation;
  const evaluation = await evaluate(evaluator, { ...stage, evaluation: { evalSteps, samples } });
  if (json) {
    printJson(JSON.stringify(evaluationMetrics(evaluation)));
    return;
  }
  print(`${printable(`${from}: ${engine.tasks.name}`)}, ${evaluation.accuracy.count} held-out problems`);
  print(evaluationLine(evaluation));
  for (const example of evaluation.examples) print(exampleLine(example));
}
