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
export { connectWebSocket } from './http/websocket.node.ts';
export { openTfjs, TFJS_BACKENDS, type TfjsBackendName } from './kernels/tfjs/open.node.ts';
export { listAdapters, nodeGpu } from './kernels/webgpu/webgpu.node.ts';
export { type OpenedPlugins, openPlugins, type PluginOptions } from './plugins/open_plugins.node.ts';
export { judgeThreads, type NodeJudgeThreads } from './plugins/threads/judge_threads.node.ts';
export { collectFingerprint, type FingerprintInputs } from './run/fingerprint/fingerprint.node.ts';
export type { Fingerprint } from './run/fingerprint/fingerprint.ts';
export { fingerprintOf } from './run/fingerprint/run_fingerprint.node.ts';
export { findModel, findWithAdapter } from './run/model/find_model.node.ts';
export type { ReporterEvent } from './run/reporter_event.ts';
export { type SessionEvent, type SessionOptions, session } from './run/session.ts';
export { fileStore } from './run/store/files.node.ts';
export type { Store } from './run/store/store.ts';
export type { Summary } from './run/summary.ts';
export type { RunEnd, Tracker } from './run/tracker.ts';
export {
  openPython,
  type PythonOutput,
  type PythonSandbox,
  type PythonTests,
  type PythonValue,
  type PythonVerdict,
} from './sandbox/python.node.ts';
export type { PythonFailed, PythonFailure, PythonLimits } from './sandbox/python_process.node.ts';
export type { SandboxEngine } from './sandbox_engine.ts';
export { type LiveOptions, liveMlflow } from './trackers/mlflow.ts';
export type { MlflowPlace } from './trackers/mlflow_client.ts';
export type { Environment, SentRun } from './trackers/sent_tracker.ts';
export { liveTrackers } from './trackers/trackers.ts';
export { loadConfigFile } from './zoo/api.node.ts';
export { configHash } from './zoo/api.ts';
