/** The weights of a run that is asked: its final model, else its latest checkpoint. */
import { createHash } from 'node:crypto';
import { CheckpointError } from '../../../src/errors.ts';
import { changedFiles } from '../../../src/run/base.ts';
import { loadLatestCheckpoint, passedOver } from '../../../src/run/checkpoint/checkpoints.ts';
import { restoreWeights } from '../../../src/run/checkpoint/restore.ts';
import { type Fingerprint, identityOf } from '../../../src/run/fingerprint/fingerprint.ts';
import { parseJsonObject } from '../../../src/run/json.ts';
import { modelFile } from '../../../src/run/model/model_files.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { loadOwnModel } from '../../models/run/model/load_own_model.ts';
import type { Inference } from './open_for_inference.ts';

/** A run whose model is asked, and where its weights are. */
export interface Loading {
  readonly store: Store;
  readonly directory: string;
  readonly model: Inference;
  readonly recorded: Fingerprint | undefined;
  /** Also a model that somebody put there in place of the run's own. */
  readonly force: boolean;
  /** Called with a line that the caller should know of and that stops nothing. */
  readonly say: (line: string) => void;
}

/**
 * Fills the policy with the final model where the run has finished, else with its latest checkpoint.
 *
 * @returns where in the directory its weights were, and the stage that ended with them
 * @throws CheckpointError where there is neither, and where the model is not the one that the run ended with
 */
export async function loadTrained(loading: Loading): Promise<{ readonly place: string; readonly stageIndex: number }> {
  const { store, directory, model, recorded, say } = loading;
  checkBase(loading);
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
  for (const damaged of latest.damaged) say(passedOver(damaged));
  restoreWeights(model.engine.policy, latest.checkpoint);
  return { place: `checkpoints/${latest.name}`, stageIndex: latest.checkpoint.stageIndex };
}

/** @throws CheckpointError `model-changed` where it is not the one that the run ended with */
async function loadFinalModel({ store, directory, model, force, say }: Loading): Promise<void> {
  const hash = createHash('sha256');
  await loadOwnModel(store, model, (bytes) => hash.update(bytes));
  const digest = hash.digest('hex');
  const summary = await store.read('summary.json');
  const expected = summary && parseJsonObject(summary)?.weightsSha256;
  if (force || digest === expected) return;
  const place = `${directory}/${modelFile(model.config)}`;
  if (typeof expected !== 'string') {
    say(`${place}: summary.json, which knows its hash, is missing or damaged; the model is used as it is`);
    return;
  }
  const rule =
    `is not the model that this run ended with: its weights have SHA-256 ${digest.slice(0, 16)}…, ` +
    `summary.json says ${expected.slice(0, 16)}…`;
  const remedy = 'Restore it from a copy, or remove it, and the newest checkpoint is used; --force uses it as it is';
  throw new CheckpointError('model-changed', `${place}  ${rule}. ${remedy}.`, { found: digest, expected });
}

/** An adapter means nothing beside other weights; a run that trained all of them has its own. */
function checkBase({ model: { base, config }, recorded, force, say }: Loading): void {
  const changed = changedFiles(recorded?.base ?? {}, base?.files ?? {});
  if (recorded?.base === undefined || changed.length === 0) return;
  const rule = `${config.modelNameOrPath}: changed since this run was trained: ${changed.join(', ')}`;
  if (config.adapter === undefined || force) {
    say(rule);
    return;
  }
  const remedy = 'Restore the model, whose adapter this is, or add --force to use it all the same';
  throw new CheckpointError('base-changed', `${rule}. ${remedy}.`, { changed });
}

/** A task's file decides what is asked and what is right: figures under another one are not comparable. */
export function changedModules(
  recorded: Fingerprint | undefined,
  modules: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(modules).flatMap(([file, sha256]) =>
    recorded?.modules?.[file] === sha256 ? [] : [`${file} has changed since this run was trained`],
  );
}
