import type { TaskSet } from '../../data/task_set.ts';
import { ConfigError } from '../../errors.ts';
import { printable } from '../../format.ts';
import { evaluate } from '../../grpo/evaluate.ts';
import { evaluationMetrics } from '../../grpo/metrics.ts';
import type { InferenceLoad } from '../../planning/capacity.ts';
import { print, printJson } from '../display/output.ts';
import { evaluationLine, exampleLine } from '../display/reporter.ts';
import { onlyRun } from '../mistaken_words.ts';
import { type AskedFlags, openAsked } from '../runs/open_asked.ts';
import { type InferenceFlags, type OpenedModel, openTrained } from '../runs/open_trained.ts';
import { tellingEngine } from '../runs/told_generator.ts';

/** Those of the command that say what is evaluated. */
export type EvalFlags = InferenceFlags &
  Omit<AskedFlags, 'model' | 'task'> &
  EvaluationFlags & { readonly run?: string; readonly model?: string; readonly task?: string };

interface EvaluationFlags {
  readonly samples: number;
  readonly json?: boolean;
  /** `eval_samples` was typed for this evaluation: as many problems are asked. Default: all, whatever a training asked. */
  readonly keepsProblems?: boolean;
}

/**
 * A run's policy on its own problems, or a model on those of a task.
 *
 * @param words  none is known
 * @throws ConfigError where it is not said what is evaluated, or on what
 */
export async function evaluateGiven(words: readonly string[], flags: EvalFlags): Promise<void> {
  const { model, task, samples } = flags;
  if (model === undefined) {
    const load = (tasks: TaskSet): InferenceLoad => ({ prompts: tasks.heldOutItems().length, samples });
    return evaluateOpened(await openTrained(onlyRun(words, flags.run), flags, load), flags);
  }
  if (task === undefined) {
    const rule = 'missing — what the model is asked; for example --task reverse_text';
    throw new ConfigError('missing-flag', `--task: ${rule}.`, { flag: 'task' });
  }
  onlyRun(words, model);
  return evaluateOpened(await openAsked({ ...flags, model, task }), { ...flags, keepsProblems: true });
}

/** Asks held-out problems, prints the figures, and closes the model. */
export async function evaluateOpened(opened: OpenedModel, flags: EvaluationFlags): Promise<void> {
  const { samples, json, keepsProblems = false } = flags;
  try {
    const { config, engine, figures } = opened.model;
    const stage = config.stages[opened.stageIndex];
    const all = engine.tasks.heldOutItems().length;
    const problems = keepsProblems ? Math.min(all, stage.evaluation.problems ?? all) : all;
    const told = tellingEngine(engine, { what: 'evaluating', total: problems * (1 + samples) });
    const evaluator = { engine: told, figures: figures[opened.stageIndex] ?? [], seed: config.seed };
    const evaluation = await evaluate(evaluator, { ...stage, evaluation: { ...stage.evaluation, problems, samples } });
    if (json) {
      printJson(JSON.stringify(evaluationMetrics(evaluation)));
      return;
    }
    print(`${printable(`${opened.from}: ${engine.tasks.name}`)}, ${evaluation.accuracy.count} held-out problems`);
    print(evaluationLine(evaluation));
    for (const example of evaluation.examples) print(exampleLine(example));
  } finally {
    await opened.close();
  }
}
