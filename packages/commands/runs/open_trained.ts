/** Opens the trained policy of a run directory, for evaluation and sampling. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { announceFile } from '../../../src/cli/display/announce_file.ts';
import { printError } from '../../../src/cli/display/output.ts';
import { commandParts, library } from '../../../src/cli/parts.ts';
import { chooseBackend, threadsNote } from '../../../src/cli/process/backend.ts';
import { loadConfigFile } from '../../../src/config/load_file.node.ts';
import type { Override } from '../../../src/config/overrides.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { closeEngine } from '../../../src/grpo/engine.ts';
import type { InferenceLoad } from '../../../src/planning/capacity.ts';
import { changedFiles } from '../../../src/run/base.ts';
import { loadLatestCheckpoint, passedOver } from '../../../src/run/checkpoint/checkpoints.ts';
import { restoreWeights } from '../../../src/run/checkpoint/restore.ts';
import { type Fingerprint, identityOf, readFingerprint } from '../../../src/run/fingerprint/fingerprint.ts';
import { parseJsonObject } from '../../../src/run/json.ts';
import { modelFile } from '../../../src/run/model/model_files.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { openConfiguredModel } from '../../models/run/model/configured_model.node.ts';
import { loadOwnModel } from '../../models/run/model/load_own_model.ts';
import { approval } from '../process/trust.ts';
import { type Inference, openForInference } from './open_for_inference.ts';

/** A trained model, and where its weights come from. */
export interface OpenedModel {
  readonly model: Inference;
  /** The stage that ended with these weights. */
  readonly stageIndex: number;
  readonly from: string;
  readonly close: () => Promise<void>;
}

/** Flags of the commands that use a trained policy. */
export interface InferenceFlags {
  readonly threads?: number;
  readonly trust?: readonly string[];
  /** Also a model that somebody put there in place of the run's own. */
  readonly force?: boolean;
  /** Keys of the run's config that are otherwise for this once. */
  readonly overrides?: readonly Override[];
}

/**
 * The final model where the run has finished, else its latest checkpoint, in a policy opened for inference alone.
 *
 * @param load  what it will sample together
 * @throws CheckpointError where there is neither, and where the model is not the one that the run ended with
 */
export async function openTrained(
  directory: string,
  { threads, trust, force = false, overrides = [] }: InferenceFlags,
  load: (tasks: TaskSet) => InferenceLoad,
): Promise<OpenedModel> {
  const store = fileStore(directory);
  if (!(await store.exists('config.yaml'))) {
    throw new CheckpointError(
      'no-run',
      `${directory}: holds no run (no config.yaml). Give the directory that a training printed.`,
    );
  }
  const file = join(directory, 'config.yaml');
  const loaded = await loadConfigFile(file, library(), overrides);
  const { problems } = loaded;
  const approve = approval({ file, problems, trust, run: { directory, goal: 'use' } });
  const pretrained = await openConfiguredModel(loaded, file, directory);
  const { codec } = pretrained ?? {};
  const rewards = 'unused';
  const plugins = await commandParts().openConfig(loaded, {
    file,
    directory,
    announce: announceFile,
    approve,
    rewards,
    codec,
  });
  const closers = [() => plugins.close()];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.reverse()) await closeOne();
  };
  try {
    const { config, tasks, modules, registries } = plugins;
    const recorded = await readFingerprint(store);
    warnOfChanges(recorded, modules);
    const backend = await chooseBackend({ ...config, threads: threads ?? config.threads });
    const tooMany = threadsNote(threads);
    if (tooMany !== undefined && backend.name === 'wasm') printError(tooMany);
    const model = await openForInference(config, tasks, backend, { registries, load: load(tasks), pretrained });
    closers.push(() => closeEngine(model.engine));
    checkBase(model, recorded, force);
    const { place, stageIndex } = await loadLatest({ store, directory, model, recorded, force });
    return { model, stageIndex, from: `${directory}/${place}`, close };
  } catch (error) {
    await close(); // threads that are left open keep the process alive
    throw error;
  }
}

interface Loading {
  readonly store: Store;
  readonly directory: string;
  readonly model: Inference;
  readonly recorded: Fingerprint | undefined;
  readonly force: boolean;
}

/** Fills the policy. @returns where in the directory its weights were, and the stage that ended with them */
async function loadLatest(loading: Loading): Promise<{ readonly place: string; readonly stageIndex: number }> {
  const { store, directory, model, recorded } = loading;
  const file = modelFile(model.config);
  const isModel = await store.exists(file);
  // Without its summary, the model is that of a run which was killed while it wrote it: its last checkpoint is whole.
  const isPreferred = isModel && (loading.force || (await store.exists('summary.json')));
  const latest = isPreferred ? undefined : await loadLatestCheckpoint(store, recorded && identityOf(recorded));
  if (latest === undefined) {
    if (!isModel) throw new CheckpointError('no-model', `${directory}: has neither a model nor a checkpoint yet.`);
    await loadFinalModel(loading);
    return { place: file, stageIndex: model.config.stages.length - 1 };
  }
  for (const damaged of latest.damaged) printError(passedOver(damaged));
  restoreWeights(model.engine.policy, latest.checkpoint);
  return { place: `checkpoints/${latest.name}`, stageIndex: latest.checkpoint.stageIndex };
}

/** @throws CheckpointError `model-changed` where it is not the one that the run ended with */
async function loadFinalModel({ store, directory, model, force }: Loading): Promise<void> {
  const hash = createHash('sha256');
  await loadOwnModel(store, model, (bytes) => hash.update(bytes));
  const digest = hash.digest('hex');
  const summary = await store.read('summary.json');
  const expected = summary && parseJsonObject(summary)?.weightsSha256;
  if (force || digest === expected) return;
  const place = `${directory}/${modelFile(model.config)}`;
  if (typeof expected !== 'string') {
    printError(`${place}: summary.json, which knows its hash, is missing or damaged; the model is used as it is`);
    return;
  }
  const rule =
    `is not the model that this run ended with: its weights have SHA-256 ${digest.slice(0, 16)}…, ` +
    `summary.json says ${expected.slice(0, 16)}…`;
  const remedy = 'Restore it from a copy, or remove it, and the newest checkpoint is used; --force uses it as it is';
  throw new CheckpointError('model-changed', `${place}  ${rule}. ${remedy}.`, { found: digest, expected });
}

/** An adapter means nothing beside other weights; a run that trained all of them has its own. */
function checkBase({ base, config }: Inference, recorded: Fingerprint | undefined, force: boolean): void {
  const changed = changedFiles(recorded?.base ?? {}, base?.files ?? {});
  if (recorded?.base === undefined || changed.length === 0) return;
  const rule = `${config.modelNameOrPath}: changed since this run was trained: ${changed.join(', ')}`;
  if (config.adapter === undefined || force) {
    printError(rule);
    return;
  }
  const remedy = 'Restore the model, whose adapter this is, or add --force to use it all the same';
  throw new CheckpointError('base-changed', `${rule}. ${remedy}.`, { changed });
}

/** A task's file decides what is asked and what is right: figures under another one are not comparable. */
function warnOfChanges(recorded: Fingerprint | undefined, modules: Readonly<Record<string, string>>): void {
  for (const [file, sha256] of Object.entries(modules)) {
    if (recorded?.modules?.[file] !== sha256) printError(`${file} has changed since this run was trained`);
  }
}
