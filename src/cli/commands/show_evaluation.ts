/** What `eval` prints of an evaluation, whichever policy was asked. */
import { printable } from '../../format.ts';
import { evaluate } from '../../grpo/evaluate.ts';
import { evaluationMetrics } from '../../grpo/metrics.ts';
import { stageOf, type TrainingRun } from '../../grpo/run.ts';
import { print, printJson } from '../display/output.ts';
import { evaluationLine, exampleLine } from '../display/reporter.ts';

export interface EvaluationOptions {
  readonly samples: number;
  readonly json?: boolean;
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
