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

export type { LoadedConfig } from './config/load.ts';
export type { Library, Registries } from './config/registries.ts';
export type { RunConfig } from './config/run_config.ts';
export { bindTask, type TaskConfig } from './data/create_task.ts';
export type { Task, TaskDefinition, TaskItem } from './data/task.ts';
export type { TaskOptions } from './data/task_options.ts';
export { oneTask, type TaskSet, taskSet } from './data/task_set.ts';
export { DIAGNOSIS_CODES } from './diagnostics/catalogue.ts';
export type { Diagnosis } from './diagnostics/diagnostic.ts';
export * from './errors.ts';
export { closeEngine, type Engine } from './grpo/engine.ts';
export { evaluate } from './grpo/evaluate.ts';
export type { TrainEvent } from './grpo/events.ts';
export { stageOf, type TrainingRun } from './grpo/run.ts';
export { evaluateRun, train } from './grpo/trainer.ts';
export type { Backend } from './kernels/engine.ts';
export { referenceBackend } from './kernels/reference/engine.ts';
export { wasmBackend } from './kernels/wasm/backend.ts';
export type { WasmOptions } from './kernels/wasm/options.ts';
export type { AdapterDescription, AdapterRequest, AdapterSource, WebgpuAdapter } from './kernels/webgpu/adapter.ts';
export { webgpuBackend } from './kernels/webgpu/backend.ts';
export type { WebgpuOptions } from './kernels/webgpu/options.ts';
export type { CreditedGroup, Evaluation, Rollout, RolloutGroup, StepMetrics } from './methods/records.ts';
export type { GrpoStageConfig, SftStageConfig, StageConfig } from './methods/stage.ts';
export { type PackedBatch, packBatch, type TokenGroup } from './model/batch.ts';
export { writeInitialWeights } from './model/initialize.ts';
export type { Capacity } from './model/memory/capacity.ts';
export { Policy } from './model/policy.ts';
export type { OptimizerSettings } from './model/programs.ts';
export {
  type Completion,
  type GenerationRequest,
  type GenerationSettings,
  generate,
  wholeVocabulary,
} from './model/sampling/generation.ts';
export type { ScoreDerivatives, Scores } from './model/scores.ts';
export type { ModelShape } from './model/shape.ts';
export type { RewardBatch, RewardFunction } from './rewards/reward_function.ts';
export { merged, openPretrained } from './run/model/open_pretrained.ts';
export type { ModelPlace, Pretrained } from './run/model/pretrained.ts';
export type { Reporter, ReporterEvent } from './run/reporter_event.ts';
export { codecOf, type TokenizerObject, type TokenizerObjectOptions } from './text/tokenizer_object.ts';
export { createTask, createTasks, openRun, parseConfig, type RunOptions } from './zoo/api.ts';
export { ZOO } from './zoo/registries.ts';
