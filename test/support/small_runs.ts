/**
 * Tiny runs from YAML, and what remains of them: the one place where tests open a run by hand, so that a change of how
 * runs are opened is made here.
 */

import { bindTask } from '../../src/data/create_task.ts';
import { closeEngine } from '../../src/grpo/engine.ts';
import type { MakeGenerator } from '../../src/grpo/generator.ts';
import type { TrainingRun } from '../../src/grpo/run.ts';
import { train } from '../../src/grpo/trainer.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { OwnMethods } from '../../src/methods/method_list.ts';
import type { Evaluation, StepMetrics } from '../../src/methods/records.ts';
import type { RewardFunction } from '../../src/rewards/reward_function.ts';
import { weightsSha256 } from '../../src/run/model/model_files.ts';
import type { OpenedModels } from '../../src/run/models.ts';
import { openRun, parseConfig } from './everything.ts';
import { getTaskDefinition } from './tasks.ts';

/** One thread, and the same bits on every processor. */
export const plainWasm = (): Promise<Backend> => wasmBackend({ inline: true, fma: false });

/** A whole config of few steps, four groups of four, with these lines of YAML besides. */
export const smallConfig = (lines: string, steps = 3): string => `
task: {name: reverse_text, min_length: 2, max_length: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: ${steps}
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
reward_funcs: [lcs]
eval_strategy: "no"
${lines}
`;

export interface SmallRun {
  /** A whole config. */
  readonly yaml: string;
  /** Reward functions of the test's own, by the names that the config gives them. */
  readonly rewards?: Readonly<Record<string, RewardFunction>>;
  /** Methods of the test's own, by the files that the config names. */
  readonly methods?: OwnMethods;
  /** A verifier in the place of the task's own. */
  readonly verify?: Verifier;
  /** What samples and scores in the place of the engine. */
  readonly makeGenerator?: MakeGenerator;
  /** Further models, by the names that the config gives them. */
  readonly models?: OpenedModels;
  /** Values in the place of the config's, as `--set` takes them. */
  readonly overrides?: readonly string[];
}

type Verifier = ReturnType<typeof getTaskDefinition>['verify'];

/** Held-out problems of a small run: no weight depends on an evaluation, and every run has two. */
const HELD_OUT = 4;

/** Opens a run at its first step; the caller closes its policy. */
export function openSmallRun(
  backend: Backend,
  { yaml, rewards = {}, methods = {}, verify, makeGenerator, models, overrides = [] }: SmallRun,
): Promise<TrainingRun> {
  const { config } = parseConfig(yaml, { file: 'inline' }, overrides);
  const [{ task: named }] = config.tasks;
  const { name, ...knobs } = named;
  const definition = { ...getTaskDefinition(name), ...(verify !== undefined && { verify }) };
  const task = bindTask(definition, knobs, { heldOutSample: HELD_OUT });
  const items = task.heldOutItems().slice(0, HELD_OUT);
  return openRun(config, Object.assign(task, { heldOutItems: () => items }), backend, {
    rewards,
    methods,
    makeGenerator,
    ...(models && { models }),
  });
}

/** What a run of a few steps leaves behind. */
export interface Finished {
  /** Of every optimizer step, in order. */
  readonly metrics: readonly StepMetrics[];
  /** Of every evaluation, in order. */
  readonly evaluations: readonly Evaluation[];
  /** Of all weights at the end. */
  readonly sha256: string;
}

/** Opens a run, trains it to the end of its last stage, and closes it. */
export async function finishSmallRun(backend: Backend, small: SmallRun): Promise<Finished> {
  return finishRun(await openSmallRun(backend, small));
}

/** Trains a run on to the end of its last stage, and closes it. */
export async function finishRun(run: TrainingRun): Promise<Finished> {
  const metrics: StepMetrics[] = [];
  const evaluations: Evaluation[] = [];
  try {
    for await (const event of train(run)) {
      if (event.type === 'step') metrics.push(event.metrics);
      if (event.type === 'evaluation') evaluations.push(event.evaluation);
    }
    return { metrics, evaluations, sha256: await weightsSha256(run.engine.policy) };
  } finally {
    await closeEngine(run.engine);
  }
}
