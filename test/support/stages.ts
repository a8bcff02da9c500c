/** Stages out of YAML, as the trainer gets them. */

import type { GrpoStageConfig } from '../../src/methods/stage.ts';
import { parseConfig } from './everything.ts';

/** Those of the same lines are asked for hundreds of times; nobody may change one. */
const known = new Map<string, GrpoStageConfig>();

/** A grpo stage of a small task with these lines of YAML besides. */
export function stageOf(...lines: readonly string[]): GrpoStageConfig {
  const text = ['task: sort_digits', 'max_steps: 10', ...lines].join('\n');
  const before = known.get(text);
  if (before !== undefined) return before;
  const [stage] = parseConfig(text, { file: 'stage.yaml' }).config.stages;
  if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
  freeze(stage);
  known.set(text, stage);
  return stage;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}

export const anyStage = (): GrpoStageConfig => stageOf();
