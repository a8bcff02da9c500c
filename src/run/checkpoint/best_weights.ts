/**
 * `best/<n>-<stage>-<step>.safetensors`: the weights of the best evaluation so far.
 *
 * Written atomically before the evaluation is reported. A checkpoint names the best file and its hash. A file is
 * removed only once no checkpoint names it, so a resume from any checkpoint finds its best weights.
 */
import type { BestEvaluation, Place } from '../../grpo/best_evaluation.ts';
import type { ConfiguredModel, Progress } from '../../grpo/run.ts';
import { sha256Hex } from '../fingerprint/sha256.ts';
import { isJsonObject, type JsonValue, parseJsonObject } from '../json.ts';
import { encodeWeights, loadModel } from '../model/model_files.ts';
import type { Store } from '../store/store.ts';

export const BEST_FOLDER = 'best';

/** Where the weights of an evaluation are kept. */
function bestFile({ stageIndex, stage, step }: Place): string {
  return `${BEST_FOLDER}/${stageIndex + 1}-${stage}-${step}.safetensors`;
}

/** Whether the policy is the best one at the run's present step. */
export function isBestNow({ journal }: Progress): boolean {
  const { best, stageIndex, step } = journal.state;
  return best !== undefined && best.stageIndex === stageIndex && best.step === step;
}

/** Keeps the weights after an evaluation that is the best so far. */
export async function keepBest(run: ConfiguredModel & Progress, store: Store): Promise<void> {
  const { best } = run.journal.state;
  if (best === undefined || best.fileSha256 !== undefined || !isBestNow(run)) return;
  const { file } = await encodeWeights(run.engine.policy);
  await store.writeAtomic(bestFile(best), file);
  run.journal.state.best = { ...best, fileSha256: await sha256Hex(file) };
}

/** Removes the files that neither the run nor one of its checkpoints names. */
export async function pruneBest({ journal }: Progress, store: Store): Promise<void> {
  const { best } = journal.state;
  const files = (await store.list(BEST_FOLDER)).map((name) => `${BEST_FOLDER}/${name}`);
  const ownFiles = best === undefined ? [] : [bestFile(best)];
  if (files.every((file) => ownFiles.includes(file))) return;
  const kept = new Set([...ownFiles, ...(await bestOfCheckpoints(store))]);
  for (const file of files) if (!kept.has(file)) await store.remove(file);
}

async function bestOfCheckpoints(store: Store): Promise<string[]> {
  const names = await store.list('checkpoints');
  const states = await Promise.all(names.map((name) => store.read(`checkpoints/${name}/state.json`)));
  return states.flatMap((bytes) => {
    const best = bytes && partOf(parseJsonObject(bytes)?.parts, 'best');
    return isPlace(best) ? [bestFile(best)] : [];
  });
}

function partOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function isPlace(value: unknown): value is Place {
  const { stageIndex, stage, step } = (value ?? {}) as Partial<Place>;
  return typeof stageIndex === 'number' && typeof step === 'number' && typeof stage === 'string';
}

/**
 * On resume: forgets a best whose weights are gone or damaged, so that the next evaluation takes its place.
 * @returns a note for the user; undefined if all is well
 */
export async function checkBest({ journal: { state } }: Progress, store: Store): Promise<string | undefined> {
  const { best } = state;
  const reason = best && (await whatIsWrong(store, best));
  if (best === undefined || reason === undefined) return undefined;
  state.best = undefined;
  return `${bestFile(best)} ${reason}: the weights of the best evaluation (step ${best.step}) are lost, and the best is looked for from here on.`;
}

/**
 * Loads the best weights into the policy at the end.
 * @returns why it cannot; the policy is then unchanged
 */
export async function loadBest(
  run: ConfiguredModel & Progress,
  store: Store,
  best: BestEvaluation,
): Promise<string | undefined> {
  if (isBestNow(run)) return undefined;
  const reason = await whatIsWrong(store, best);
  if (reason === undefined) await loadModel(store, bestFile(best), run.engine.policy);
  return reason && `${bestFile(best)} ${reason}`;
}

async function whatIsWrong(store: Store, best: BestEvaluation): Promise<string | undefined> {
  const bytes = await store.read(bestFile(best));
  if (bytes === undefined) return 'is missing';
  return (await sha256Hex(bytes)) === best.fileSha256 ? undefined : 'does not match its SHA-256';
}
