/**
 * The library in a browser: a run whose engine is in a worker, kept in the browser's own file system.
 *
 * ```ts
 * import { openRunInWorker } from 'rlvr-train/web';
 *
 * const yaml = 'task: sort_digits\nmax_steps: 100\nlearning_rate: 1.0e-3\nreward_funcs: [positions]';
 * const run = await openRunInWorker({ yaml, name: 'first' });
 * console.log(run.opened.backend.line);
 * run.listen((event) => {
 *   if (event.type === 'step') console.log(event.step, event.metrics.reward);
 *   if (event.type === 'evaluation') console.log(event.moment, event.evaluation.accuracy.mean);
 * });
 * await run.train();
 * ```
 *
 * Works without a bundler: `engine_worker.js` beside this file needs only what lies in `engine/`. A bundler that makes
 * modules of workers (Vite: `worker: { format: 'es' }`) leaves tasks and methods in files of their own, loaded later. Threads of WebAssembly need a page
 * that is served with `Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy: require-corp`.
 */

export type { Diagnosis } from '../../src/diagnostics/diagnostic.ts';
export { BackendError, CheckpointError, ConfigError, RlvrError } from '../../src/errors.ts';
export type { CreditedGroup, Evaluation, Rollout, StepMetrics } from '../../src/methods/records.ts';
export type { Verdict } from '../../src/rewards/verdict.ts';
export type { Store } from '../../src/run/store/store.ts';
export type { AskedPolicy, GeneratedText, GeneratedToken, GenerateOptions } from '../models/asked/asked_policy.ts';
export type { Catalogue, CatalogueTask } from '../zoo/catalogue/catalogue.ts';
export type { AnswerSearch, SearchTry } from '../zoo/methods/support/figures/read_tries.ts';
export type { OptionText } from '../zoo/options/describe.ts';
export * from './browser_run.ts';
export type { BrowserBlob, BrowserSignal } from './browser_types.ts';
export { loadCatalogue } from './catalogue.ts';
export type { BackendReport, BackendRequest } from './choose_backend.ts';
export { type Lending, type LendingNews, type LendOptions, lendTab } from './lending.ts';
export { openPolicy } from './open_policy.ts';
export type { OpenPolicyOptions } from './open_policy_options.ts';
export type { OwnRewardRow } from './own_code/sandbox_program.ts';
export { planRun, planSketches } from './plan_in_worker.ts';
export { keepModel } from './pretrained/keep_in_worker.ts';
export type { KeepOptions } from './pretrained/keep_options.ts';
export { type KeptModel, keptModels, removeKeptModel } from './pretrained/kept_models.ts';
export { addressOf, KNOWN_MODELS, type KnownModel } from './pretrained/known_models.ts';
export type { ChosenFile, ModelOrigin } from './pretrained/model_origin.ts';
export type { ModelSketch, PlanOptions, PlanRefusal, RunPlan, SketchOptions } from './run_plan.ts';
export { keptRuns, opfsStore, removeKeptRun } from './store/opfs_store.ts';
export { type EngineWorker, openRunInWorker, type WorkerOptions } from './worker_run.ts';
