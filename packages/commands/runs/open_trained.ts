/** Opens the trained policy of a run directory, for evaluation and sampling. */

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
import { readFingerprint } from '../../../src/run/fingerprint/fingerprint.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { openConfiguredModel } from '../../models/run/model/configured_model.node.ts';
import { changedModules, loadTrained } from '../../plugins/asked/load_trained.node.ts';
import { type Inference, openForInference } from '../../plugins/asked/open_for_inference.ts';
import { approval } from '../process/trust.ts';

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
    for (const line of changedModules(recorded, modules)) printError(line);
    const backend = await chooseBackend({ ...config, threads: threads ?? config.threads });
    const tooMany = threadsNote(threads);
    if (tooMany !== undefined && backend.name === 'wasm') printError(tooMany);
    const model = await openForInference(config, tasks, backend, { registries, load: load(tasks), pretrained });
    closers.push(() => closeEngine(model.engine));
    const { place, stageIndex } = await loadTrained({ store, directory, model, recorded, force, say: printError });
    return { model, stageIndex, from: `${directory}/${place}`, close };
  } catch (error) {
    await close(); // threads that are left open keep the process alive
    throw error;
  }
}
