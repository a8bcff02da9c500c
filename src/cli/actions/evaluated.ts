/** A model that was opened, asked held-out problems. */

import { evaluate } from '../../grpo/evaluate.ts';
import type { Evaluation } from '../../methods/records.ts';
import type { OpenedModel } from '../runs/open_trained.ts';
import { tellingEngine } from '../runs/told_generator.ts';

export interface EvaluatedFlags {
  readonly samples: number;
  /** `eval_samples` was typed for this evaluation: as many problems are asked. Default: all, whatever a training asked. */
  readonly keepsProblems?: boolean;
}

/** Asks the held-out problems, and closes the model. */
export async function evaluated(
  opened: OpenedModel,
  { samples, keepsProblems = false }: EvaluatedFlags,
): Promise<Evaluation> {
  try {
    const { config, engine, figures } = opened.model;
    const stage = config.stages[opened.stageIndex];
    const all = engine.tasks.heldOutItems().length;
    const problems = keepsProblems ? Math.min(all, stage.evaluation.problems ?? all) : all;
    const told = tellingEngine(engine, { what: 'evaluating', total: problems * (1 + samples) });
    const evaluator = { engine: told, figures: figures[opened.stageIndex] ?? [], seed: config.seed };
    return await evaluate(evaluator, { ...stage, evaluation: { ...stage.evaluation, problems, samples } });
  } finally {
    await opened.close();
  }
}
