/** Opens the trained policy of a run directory, for evaluation and sampling. */
import { join } from 'node:path';
import { loadConfigFile } from '../config/load_file.node.ts';
import { createTask } from '../data/create_task.ts';
import { CheckpointError } from '../errors.ts';
import type { TrainingRun } from '../grpo/run.ts';
import { openRun } from '../grpo/run.ts';
import { loadLatestCheckpoint } from '../run/checkpoints.ts';
import { fileStore } from '../run/files.node.ts';
import { loadModel } from '../run/model_files.ts';
import { MODEL_FOLDER } from '../run/session.ts';
import { restoreCheckpoint } from '../run/state.ts';
import { chooseBackend } from './backend.ts';

/** The final model where the run has finished, else its latest checkpoint. @throws CheckpointError where there is neither */
export async function openTrained(
  directory: string,
  threads: number | undefined,
): Promise<{ run: TrainingRun; from: string }> {
  const store = fileStore(directory);
  if (!(await store.exists('config.yaml'))) {
    throw new CheckpointError(
      'no-run',
      `${directory}: holds no run (no config.yaml). Give the directory that a training printed.`,
    );
  }
  const { config } = await loadConfigFile(join(directory, 'config.yaml'));
  const backend = await chooseBackend(config.backend, threads ?? config.threads);
  const run = await openRun(config, createTask(config.task), backend, { rewards: 'unused' });
  run.position.stageIndex = config.stages.length - 1;
  const file = `${MODEL_FOLDER}/model.safetensors`;
  if (await store.exists(file)) {
    await loadModel(store, file, run.policy);
    return { run, from: `${directory}/${file}` };
  }
  const latest = await loadLatestCheckpoint(store);
  if (latest === undefined) {
    await run.policy.close();
    throw new CheckpointError('no-model', `${directory}: has neither a model nor a checkpoint yet.`);
  }
  restoreCheckpoint(run, latest.checkpoint);
  return { run, from: `${directory}/checkpoints/${latest.name}` };
}
