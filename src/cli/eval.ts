/** `rlvr-train eval --run DIR`: all held-out problems, greedy and sampled. */
import type { TaskSet } from '../data/task_set.ts';
import { evaluate } from '../grpo/evaluate.ts';
import { evaluationMetrics } from '../grpo/metrics.ts';
import { stageOf } from '../grpo/run.ts';
import type { InferenceLoad } from '../planning/capacity.ts';
import { openTrained } from './open_trained.ts';
import { evaluationLine, exampleLine } from './reporter.ts';

export async function evalCommand(options: {
  run: string;
  samples: number;
  threads?: number;
  json?: boolean;
}): Promise<void> {
  const { samples } = options;
  const load = (tasks: TaskSet): InferenceLoad => ({ prompts: tasks.heldOutItems().length, samples });
  const { run, from } = await openTrained(options.run, options.threads, load);
  try {
    const stage = stageOf(run);
    const evaluation = await evaluate(run, { ...stage, evaluation: { ...stage.evaluation, samples } });
    if (options.json) {
      process.stdout.write(`${JSON.stringify(evaluationMetrics(evaluation))}\n`);
      return;
    }
    process.stdout.write(`${from}: ${run.tasks.name}, ${evaluation.accuracy.count} held-out problems\n`);
    process.stdout.write(`${evaluationLine(evaluation)}\n`);
    for (const example of evaluation.examples) process.stdout.write(`${exampleLine(example)}\n`);
  } finally {
    await run.policy.close();
  }
}
