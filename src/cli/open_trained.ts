/** Opens the trained policy of a run directory, for evaluation and sampling. */

import { join } from 'node:path';
import { loadConfigFile } from '../config/load_file.node.ts';
import type { TaskSet } from '../data/task_set.ts';
import { CheckpointError } from '../errors.ts';
import type { TrainingRun } from '../grpo/run.ts';
import type { InferenceLoad } from '../planning/capacity.ts';
import { openPlugins } from '../plugins/open_plugins.node.ts';
import { loadLatestCheckpoint } from '../run/checkpoints.ts';
import { fileStore } from '../run/files.node.ts';
import { readFingerprint } from '../run/fingerprint.ts';
import { loadModel } from '../run/model_files.ts';
import { openForInference } from '../run/open_run.ts';
import { MODEL_FOLDER } from '../run/session.ts';
import { restoreWeights } from '../run/state.ts';
import type { Store } from '../run/store.ts';
import { announceFile } from './announce_file.ts';
import { chooseBackend } from './backend.ts';
import { printError } from './output.ts';
import { approval } from './trust.ts';

/** Flags of the commands that use a trained policy. */
export interface InferenceFlags {
  readonly threads?: number;
  readonly trust?: readonly string[];
}

/**
 * The final model where the run has finished, else its latest checkpoint, in a policy opened for inference alone.
 *
 * @param load  what it will sample together
 * @throws CheckpointError where there is neither
 */
export async function openTrained(
  directory: string,
  { threads, trust }: InferenceFlags,
  load: (tasks: TaskSet) => InferenceLoad,
): Promise<{ run: TrainingRun; from: string; close: () => Promise<void> }> {
  const store = fileStore(directory);
  if (!(await store.exists('config.yaml'))) {
    throw new CheckpointError(
      'no-run',
      `${directory}: holds no run (no config.yaml). Give the directory that a training printed.`,
    );
  }
  const file = join(directory, 'config.yaml');
  const loaded = await loadConfigFile(file);
  const { problems } = loaded;
  const approve = approval({ file, problems, trust, run: { directory, goal: 'use' } });
  const plugins = await openPlugins(loaded, { file, directory, announce: announceFile, approve, rewards: 'unused' });
  const { config, tasks, modules } = plugins;
  await warnOfChanges(store, modules);
  const backend = await chooseBackend({ ...config, threads: threads ?? config.threads });
  const run = await openForInference(config, tasks, backend, load(tasks));
  const close = async (): Promise<void> => {
    await run.policy.close();
    await plugins.close();
  };
  try {
    return { run, from: `${directory}/${await loadLatest(store, directory, run)}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Fills the policy, and sets the stage that ended with it. @returns where in the directory it was */
async function loadLatest(store: Store, directory: string, run: TrainingRun): Promise<string> {
  const { config, policy, state } = run;
  const model = `${MODEL_FOLDER}/model.safetensors`;
  if (await store.exists(model)) {
    state.stageIndex = config.stages.length - 1;
    await loadModel(store, model, policy);
    return model;
  }
  const latest = await loadLatestCheckpoint(store);
  if (latest === undefined) {
    throw new CheckpointError('no-model', `${directory}: has neither a model nor a checkpoint yet.`);
  }
  state.stageIndex = latest.checkpoint.stageIndex;
  restoreWeights(policy, latest.checkpoint);
  return `checkpoints/${latest.name}`;
}

/** A task's file decides what is asked and what is right: figures under another one are not comparable. */
async function warnOfChanges(store: Store, modules: Readonly<Record<string, string>>): Promise<void> {
  const recorded = (await readFingerprint(store))?.modules ?? {};
  for (const [file, sha256] of Object.entries(modules)) {
    if (recorded[file] !== sha256) printError(`${file} has changed since this run was trained`);
  }
}
