/**
 * The library in Node: configs from files, and runs that live in a directory, as the command line's do.
 *
 * ```ts
 * import { closeEngine, createTasks, openRun, wasmBackend } from 'rlvr-train';
 * import { fileStore, fingerprintOf, loadConfigFile, session } from 'rlvr-train/node';
 *
 * const { config } = await loadConfigFile('configs/countdown.yaml');
 * const run = await openRun(config, await createTasks(config), await wasmBackend());
 * const options = { run, store: fileStore('runs/mine'), fingerprint: await fingerprintOf(run) };
 * try {
 *   for await (const event of session({ ...options, resume: false, force: false })) {
 *     if (event.type === 'finished') console.log(event.summary.final);
 *   }
 * } finally {
 *   await closeEngine(run.engine);
 * }
 * ```
 */
export { collectFingerprint, type FingerprintInputs } from '../../src/run/fingerprint/fingerprint.node.ts';
export type { Fingerprint } from '../../src/run/fingerprint/fingerprint.ts';
export { fingerprintOf } from '../../src/run/fingerprint/run_fingerprint.node.ts';
export type { ReporterEvent } from '../../src/run/reporter_event.ts';
export type { SessionEvent, SessionOptions } from '../../src/run/session.ts';
export { fileStore } from '../../src/run/store/files.node.ts';
export type { Store } from '../../src/run/store/store.ts';
export type { Summary } from '../../src/run/summary.ts';
export type { RunEnd, Tracker } from '../../src/run/tracker.ts';
export type { SandboxEngine } from '../../src/sandbox_engine.ts';
export { connectWebSocket } from '../http/websocket.node.ts';
export type { AskedPolicy, GeneratedText, GeneratedToken, GenerateOptions } from '../models/asked/asked_policy.ts';
export { findModel, findWithAdapter } from '../models/run/model/find_model.node.ts';
export { type OpenedPlugins, openPlugins, type PluginOptions } from '../plugins/open_plugins.node.ts';
export { judgeThreads, type NodeJudgeThreads } from '../plugins/threads/judge_threads.node.ts';
export { openTfjs, TFJS_BACKENDS, type TfjsBackendName } from '../tfjs/kernels/open.node.ts';
export { type LiveOptions, liveMlflow } from '../trackers/mlflow.ts';
export type { MlflowPlace } from '../trackers/mlflow_client.ts';
export type { Environment, SentRun } from '../trackers/sent_tracker.ts';
export { liveTrackers } from '../trackers/trackers.ts';
export { listAdapters, nodeGpu } from '../webgpu/webgpu.node.ts';
export { configHash } from '../zoo/api/config_hash.ts';
export { loadConfigFile } from '../zoo/api/configs.node.ts';
export {
  openPython,
  type PythonOutput,
  type PythonSandbox,
  type PythonTests,
  type PythonValue,
  type PythonVerdict,
} from '../zoo/sandbox/python.node.ts';
export type { PythonFailed, PythonFailure, PythonLimits } from '../zoo/sandbox/python_process.node.ts';
export { type OpenPolicyOptions, openPolicy } from './open_policy.node.ts';
export { session } from './session.ts';
