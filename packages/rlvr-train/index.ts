/**
 * The library: train a policy from TypeScript, in Node or anywhere else that runs WebAssembly.
 *
 * ```ts
 * import { closeEngine, createTasks, openRun, parseConfig, train, wasmBackend } from 'rlvr-train';
 *
 * const yaml = 'task: sort_digits\nmax_steps: 100\nlearning_rate: 1.0e-3\nreward_funcs: [positions]';
 * const { config } = parseConfig(yaml, { file: 'inline' });
 * const run = await openRun(config, await createTasks(config), await wasmBackend());
 * try {
 *   for await (const event of train(run)) {
 *     if (event.type === 'step') console.log(event.step, event.metrics.reward);
 *     if (event.type === 'evaluation') console.log(event.moment, event.evaluation.accuracy.mean);
 *   }
 * } finally {
 *   await closeEngine(run.engine);
 * }
 * ```
 *
 * A reward or a task of your own needs no registry. `reward_funcs: [brief]` then names `rewards.brief`:
 *
 * ```ts
 * const brief: RewardFunction = {
 *   name: 'brief',
 *   score: ({ completionTokens, verdicts }) =>
 *     completionTokens.map(({ length }, i) => (verdicts[i]?.score === 1 ? 1 / length : 0)),
 * };
 * const task = bindTask(addition, { max: 99 }); // a TaskDefinition, as docs/own_task.md writes one
 * const run = await openRun(config, task, await wasmBackend(), { rewards: { brief } });
 * ```
 *
 * `rlvr-train/tasks` and `rlvr-train/rewards` have the pieces that tasks and verifiers are made of;
 * `rlvr-train/node` the run directory: logs, checkpoints, resume.
 */

export type { LoadedConfig } from '../../src/config/load.ts';
export type { Library, Registries } from '../../src/config/registries.ts';
export type { RunConfig } from '../../src/config/run_config.ts';
export { bindTask, type TaskConfig } from '../../src/data/create_task.ts';
export type { Task, TaskDefinition, TaskItem } from '../../src/data/task.ts';
export type { TaskOptions } from '../../src/data/task_options.ts';
export { oneTask, type TaskSet, taskSet } from '../../src/data/task_set.ts';
export type { Diagnosis } from '../../src/diagnostics/diagnostic.ts';
export * from '../../src/errors.ts';
export { closeEngine, type Engine } from '../../src/grpo/engine.ts';
export { evaluate } from '../../src/grpo/evaluate.ts';
export type { TrainEvent } from '../../src/grpo/events.ts';
export { stageOf, type TrainingRun } from '../../src/grpo/run.ts';
export { evaluateRun, train } from '../../src/grpo/trainer.ts';
export type { Backend } from '../../src/kernels/engine.ts';
export { referenceBackend } from '../../src/kernels/reference/engine.ts';
export { wasmBackend } from '../../src/kernels/wasm/backend.ts';
export type { WasmOptions } from '../../src/kernels/wasm/options.ts';
export type { CreditedGroup, Evaluation, Rollout, RolloutGroup, StepMetrics } from '../../src/methods/records.ts';
export type { GrpoStageConfig, SftStageConfig, StageConfig } from '../../src/methods/stage.ts';
export { type PackedBatch, packBatch, type TokenGroup } from '../../src/model/batch.ts';
export { writeInitialWeights } from '../../src/model/initialize.ts';
export type { Capacity } from '../../src/model/memory/capacity.ts';
export type { OptimizerSettings } from '../../src/model/optimizer.ts';
export { Policy } from '../../src/model/policy.ts';
export {
  type Completion,
  type GenerationRequest,
  type GenerationSettings,
  generate,
  wholeVocabulary,
} from '../../src/model/sampling/generation.ts';
export type { ScoreDerivatives, Scores } from '../../src/model/scores.ts';
export type { ModelShape } from '../../src/model/shape.ts';
export type { RewardBatch, RewardFunction } from '../../src/rewards/reward_function.ts';
export type { Reporter, ReporterEvent } from '../../src/run/reporter_event.ts';
export type { AskedPolicy, GeneratedText, GeneratedToken, GenerateOptions } from '../models/asked/asked_policy.ts';
export { type AskedModelOptions, openAskedModel } from '../models/asked/open_model.ts';
export { policyOf } from '../models/asked/run_policy.ts';
export { merged, openPretrained } from '../models/run/model/open_pretrained.ts';
export type { ModelPlace, Pretrained } from '../models/run/model/pretrained.ts';
export { codecOf, type TokenizerObject, type TokenizerObjectOptions } from '../models/text/tokenizer_object.ts';
export type {
  AdapterDescription,
  AdapterRequest,
  AdapterSource,
  WebgpuAdapter,
} from '../webgpu/adapter.ts';
export { webgpuBackend } from '../webgpu/backend.ts';
export type { WebgpuOptions } from '../webgpu/options.ts';
export { openRun, parseConfig, type RunOptions } from '../zoo/api/runs.ts';
export { createTask, createTasks } from '../zoo/api/tasks.ts';
export { DIAGNOSIS_CODES } from '../zoo/diagnostics/catalogue.ts';
export { ZOO } from '../zoo/registries.ts';
