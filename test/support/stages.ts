/** Stages out of YAML, as the trainer gets them. */
import { parseConfig } from '../../src/config/load.ts';
import type { GrpoStageConfig } from '../../src/methods/stage.ts';

/** A grpo stage of a small task with these lines of YAML besides. */
export function stageOf(...lines: readonly string[]): GrpoStageConfig {
  const text = ['task: sort_digits', 'max_steps: 10', ...lines].join('\n');
  const [stage] = parseConfig(text, { file: 'stage.yaml' }).config.stages;
  if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
  return stage;
}

export const anyStage = (): GrpoStageConfig => stageOf();
