/** A model that was opened, asked held-out problems. */

import type { Split, TaskItem } from '../../../src/data/task.ts';
import { delegating } from '../../../src/data/task_set.ts';
import { type Engine, withTasks } from '../../../src/grpo/engine.ts';
import { evaluate } from '../../../src/grpo/evaluate.ts';
import type { Evaluation } from '../../../src/methods/records.ts';
import { fittingItems } from '../runs/fitting_items.ts';
import type { OpenedModel } from '../runs/open_trained.ts';
import { tellingEngine } from '../runs/told_generator.ts';

export interface EvaluatedFlags {
  readonly samples: number;
  /** `eval_samples` was typed for this evaluation: as many problems are asked. Default: all, whatever a training asked. */
  readonly keepsProblems?: boolean;
  /** `train`: as many problems of the training stream are asked as are held out. Default: those that are held out. */
  readonly split?: Split;
  /** Figures were typed for this evaluation: they are asked for whichever stage ended with the weights. */
  readonly figures?: string;
}

/** Asks the held-out problems, or those of training, and closes the model. */
export async function evaluated(
  opened: OpenedModel,
  { samples, keepsProblems = false, split = 'eval', figures: typed }: EvaluatedFlags,
): Promise<Evaluation> {
  try {
    const { config, figures: ofStages } = opened.model;
    const stage = config.stages[opened.stageIndex];
    const figures = typed === undefined ? ofStages[opened.stageIndex] : ofStages.findLast(({ length }) => length > 0);
    const engine = split === 'train' ? askingTraining(opened.model.engine, config.seed) : opened.model.engine;
    const all = engine.tasks.heldOutItems().length;
    const problems = keepsProblems ? Math.min(all, stage.evaluation.problems ?? all) : all;
    const told = tellingEngine(engine, { what: 'evaluating', total: problems * (1 + samples) });
    const evaluator = { engine: told, figures: figures ?? [], seed: config.seed };
    return await evaluate(evaluator, { ...stage, evaluation: { ...stage.evaluation, problems, samples } });
  } finally {
    await opened.close();
  }
}

/** The same engine, whose problems are the first of the training stream, one that comes twice weighing as two. */
function askingTraining(engine: Engine, seed: number): Engine {
  const { tasks } = engine;
  const asked = new Map<string, TaskItem>();
  const count = tasks.heldOutItems().length;
  for (const { item } of fittingItems(tasks, seed, count)) {
    const problem = `${item.task ?? ''} ${item.key}`;
    asked.set(problem, { ...item, weight: (asked.get(problem)?.weight ?? 0) + 1 / count });
  }
  const items = [...asked.values()];
  return withTasks(engine, delegating(tasks, { heldOutItems: () => items }));
}
