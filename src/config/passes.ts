/** Stages whose length is given in passes over the rows of a data set (`num_train_epochs`). */
import { DATASET } from '../data/data_files.ts';
import type { TaskSet } from '../data/task_set.ts';
import { ConfigError } from '../errors.ts';
import type { StageConfig } from '../methods/stage.ts';
import type { TaskEntry } from './mixture.ts';

/** Whether the problems of a stage are rows, which are asked pass by pass. */
export function hasPasses(stage: StageConfig, tasks: readonly TaskEntry[]): boolean {
  return ('rows' in stage && stage.rows !== undefined) || (tasks.length === 1 && tasks[0].task.name === DATASET);
}

/** The steps of a warm-up: a fraction below 1 counts in parts of the stage and is rounded up, as in transformers. */
export function warmupOf(warmup: number, maxSteps: number): number {
  return warmup < 1 ? Math.ceil(warmup * maxSteps) : warmup;
}

/** The config with passes as optimizer steps, once the rows are read. @throws ConfigError where a warm-up is longer */
export function withSteps<C extends { readonly stages: readonly StageConfig[] }>(config: C, tasks: TaskSet): C {
  const inSteps = <S extends StageConfig>(stage: S, index: number): S => {
    const { epochs, ...optimizer } = stage.optimizer;
    if (epochs === undefined) return stage;
    const rows = (stage.stage === 'sft' ? tasks.supervised(index) : tasks).trainProblems() ?? 0; // as `hasPasses` says
    const maxSteps = Math.min(optimizer.maxSteps, stepsOf(stage, epochs * rows));
    const warmupSteps = warmupOf(optimizer.warmupSteps, maxSteps);
    if (warmupSteps > maxSteps) {
      const rule = `longer than the stage (num_train_epochs ${epochs}, ${maxSteps} steps); use a fraction such as 0.05`;
      throw new ConfigError('invalid-config', `warmup_steps: ${warmupSteps} — ${rule}.`, { path: 'warmup_steps' });
    }
    return { ...stage, optimizer: { ...optimizer, maxSteps, warmupSteps } };
  };
  return { ...config, stages: config.stages.map(inSteps) };
}

/** Optimizer steps that ask this many problems, the last batch being whole. */
function stepsOf(stage: StageConfig, problems: number): number {
  if (stage.stage === 'sft') return Math.ceil(problems / stage.batch.sequencesPerStep);
  const { promptsPerStep, optimizerStepsPerGeneration, numIterations } = stage.batch;
  const updates = Math.min(optimizerStepsPerGeneration, promptsPerStep) * numIterations;
  return Math.ceil(problems / promptsPerStep) * updates;
}
