/**
 * Checkpoints: `checkpoints/<stage>-<step>/{weights,optimizer}.safetensors, state.json, manifest.json`.
 *
 * Save write all files under `.tmp-<name>`, the manifest last; rename the directory; only then prune older ones. Load
 * the highest `sequence` whose hashes agree; a damaged one is named, and the one before it used.
 *
 * Whatever moment a crash chooses, the last checkpoint whose save resolved is found again. Hidden directories: `.tmp-…`
 * is unfinished or condemned and ignored; `.replaced-…` is a checkpoint whose name was taken by a newer one (a step
 * repeated after a fallback) and still counts until that newer one is durable.
 */
import { CheckpointError } from '../../errors.ts';
import { decodeSafetensors, encodeSafetensors, type TensorRecord } from '../../model/safetensors.ts';
import type { RunIdentity } from '../fingerprint/fingerprint.ts';
import { encodeStrictJson, type JsonObject, parseJsonObject } from '../json.ts';
import type { Store } from '../store/store.ts';
import {
  CHECKPOINT_FILES,
  type Checked,
  type CheckpointFile,
  checkFile,
  decodeManifest,
  describeFiles,
  encodeManifest,
  type Manifest,
  otherRun,
} from './manifest.ts';

/** Everything a run needs to continue with the same bits. */
export interface Checkpoint {
  /** Name of the stage: letters, digits, `.`, `_` and `-`, beginning with a letter or digit. */
  readonly stage: string;
  readonly stageIndex: number;
  /** Optimizer steps done in this stage. */
  readonly step: number;
  readonly weights: readonly TensorRecord[];
  /** Moments and all other tensors, such as a reference policy and buffered rollouts, distinguished by name. */
  readonly optimizer: readonly TensorRecord[];
  /** Generators' counters, data cursor, curriculum. Finite numbers only. */
  readonly state: JsonObject;
  /** Length of metrics.jsonl at this step: `MetricsLog.bytes()`. */
  readonly metricsBytes: number;
}

/** A checkpoint that cannot be used, and why. */
export interface DamagedCheckpoint {
  readonly name: string;
  readonly reason: string;
  /** It belongs to another run, and may be intact. */
  readonly isForeign?: true;
}

/** Why it cannot be used, for people. */
export function whyUnused({ reason, isForeign }: DamagedCheckpoint): string {
  return isForeign ? `not of this run, but of ${reason}` : reason;
}

/** A checkpoint that was passed over, for people. */
export function passedOver({ name, reason, isForeign }: DamagedCheckpoint): string {
  const why = isForeign ? `is not of this run, but of ${reason}` : `is damaged (${reason})`;
  return `checkpoint ${name} ${why}; the one before it is used.`;
}

export interface LoadedCheckpoint {
  readonly name: string;
  readonly checkpoint: Checkpoint;
  /** Newer ones that were passed over, and those of unreadable age, to be reported to the user. */
  readonly damaged: readonly DamagedCheckpoint[];
}

export interface SavedCheckpoint {
  /** `<stage>-<step>`, its directory under `checkpoints/`. */
  readonly name: string;
  readonly sequence: number;
  /** Size of its files, manifest apart. */
  readonly bytes: number;
}

/** Where a run directory keeps them. */
export const CHECKPOINTS = 'checkpoints';
const TEMPORARY = '.tmp-';
const REPLACED = '.replaced-';
const STAGE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const CHECKPOINT_NAME = /^(\.replaced-\d+-)?[A-Za-z0-9][A-Za-z0-9._-]*-\d+$/;

/**
 * Saves a checkpoint durably, then removes all but the newest `keep` intact ones. One save at a time.
 * Copies tensors and state before it first yields: training may continue while the disk works.
 *
 * @param options.run  written into the manifest; checkpoints of another run are not kept
 * @throws CheckpointError when the disk refuses (the previous checkpoints stay as they were), or for a stage name,
 *   a state or a tensor that cannot be written
 */
export async function saveCheckpoint(
  store: Store,
  checkpoint: Checkpoint,
  { keep, run }: { readonly keep: number; readonly run?: RunIdentity },
): Promise<SavedCheckpoint> {
  const name = nameOf(checkpoint);
  const files = encodeFiles(checkpoint);
  const { stage, stageIndex, step, metricsBytes } = checkpoint;
  const before = await survey(store);
  const sequence = nextSequence(before);
  const [kept] = await Promise.all([
    chooseKept(store, name, ownOf(before, run), keep),
    writeStaged(store, name, files, {
      format: 1,
      sequence,
      stage,
      stageIndex,
      step,
      metricsBytes,
      ...(run && { run }),
    }),
  ]);
  await putInPlace(store, name, sequence);
  await prune(store, kept);
  return { name, sequence, bytes: CHECKPOINT_FILES.reduce((sum, file) => sum + files[file].length, 0) };
}

/**
 * The newest intact checkpoint, with the damaged ones that were passed over; undefined when there is none at all.
 * Changes nothing on the disk.
 *
 * @param run  a checkpoint that names another run counts as damaged
 * @throws CheckpointError `no-intact-checkpoint` when there are checkpoints and all are damaged
 */
export async function loadLatestCheckpoint(store: Store, run?: RunIdentity): Promise<LoadedCheckpoint | undefined> {
  const { whole, damaged } = ownOf(await survey(store, { unreadableIsDamaged: true }), run);
  for (const { name, manifest } of whole) {
    const result = await orReason(() => readCheckpoint(store, name, manifest));
    if (result.ok) return { name, checkpoint: result.value, damaged };
    damaged.push({ name, reason: result.reason });
  }
  if (damaged.length === 0) return undefined;
  const list = damaged.map((entry) => `  ${CHECKPOINTS}/${entry.name}: ${whyUnused(entry)}`).join('\n');
  throw new CheckpointError(
    'no-intact-checkpoint',
    `--resume: every checkpoint of this run is damaged:\n${list}\nRestore one from a copy, or start over in another --output.`,
    { damaged },
  );
}

/** Name of the newest checkpoint by its manifest, unread otherwise; undefined where there is none. */
export async function newestCheckpoint(store: Store): Promise<string | undefined> {
  return (await survey(store, { unreadableIsDamaged: true })).whole[0]?.name;
}

/** Checkpoints by their manifests, newest first. */
export async function checkpointPlaces(
  store: Store,
): Promise<readonly { readonly name: string; readonly stageIndex: number; readonly step: number }[]> {
  const { whole } = await survey(store, { unreadableIsDamaged: true });
  return whole.map(({ name, manifest: { stageIndex, step } }) => ({ name, stageIndex, step }));
}

/** Removes all other checkpoints, damaged ones included. */
export async function keepCheckpoints(store: Store, names: readonly string[]): Promise<void> {
  await prune(store, new Set(names));
}

/** Removes remains of checkpoints that a crash interrupted while they were written or removed. */
export async function removeUnfinished(store: Store): Promise<void> {
  for (const name of await store.list(CHECKPOINTS)) {
    if (name.startsWith(TEMPORARY)) await store.remove(`${CHECKPOINTS}/${name}`);
  }
}

/** Contents of `checkpoints/`: readable manifests, newest first, and directories without one. */
interface Survey {
  readonly whole: readonly { readonly name: string; readonly manifest: Manifest }[];
  readonly damaged: DamagedCheckpoint[];
}

async function survey(store: Store, { unreadableIsDamaged = false } = {}): Promise<Survey> {
  const names = (await store.list(CHECKPOINTS)).filter((name) => CHECKPOINT_NAME.test(name));
  const read = async (name: string) => decodeManifest(await store.read(`${CHECKPOINTS}/${name}/manifest.json`));
  const intact: { name: string; manifest: Manifest }[] = [];
  const damaged: DamagedCheckpoint[] = [];
  for (const name of names) {
    const manifest = await (unreadableIsDamaged ? orReason(() => read(name)) : read(name));
    if (manifest.ok) intact.push({ name, manifest: manifest.value });
    else damaged.push({ name, reason: manifest.reason });
  }
  intact.sort((a, b) => b.manifest.sequence - a.manifest.sequence);
  return { whole: intact, damaged };
}

/** Moves checkpoints of other runs to the damaged ones. */
function ownOf({ whole, damaged }: Survey, run: RunIdentity | undefined): Survey {
  const foreign = whole.flatMap(({ name, manifest }) => {
    const reason = run && otherRun(manifest, run);
    return reason === undefined ? [] : [{ name, reason, isForeign: true as const }];
  });
  const names = new Set(foreign.map(({ name }) => name));
  return { whole: whole.filter(({ name }) => !names.has(name)), damaged: [...damaged, ...foreign] };
}

/** Above every sequence that a manifest or the name of a replaced checkpoint mentions: no name is ever used twice. */
function nextSequence({ whole, damaged }: Survey): number {
  const replacedAt = [...whole, ...damaged].map(({ name }) => Number(/^\.replaced-(\d+)-/.exec(name)?.[1] ?? -1));
  return 1 + Math.max(-1, ...replacedAt, ...whole.map(({ manifest }) => manifest.sequence));
}

function nameOf({ stage, step }: Checkpoint): string {
  if (!STAGE_NAME.test(stage)) {
    const rule = 'use letters, digits, ".", "_" and "-", beginning with a letter or digit';
    throw new CheckpointError('bad-stage-name', `stage: ${JSON.stringify(stage)} names a directory; ${rule}.`, {
      stage,
    });
  }
  return `${stage}-${step}`;
}

function encodeFiles(checkpoint: Checkpoint): Record<CheckpointFile, Uint8Array<ArrayBuffer>> {
  return {
    'weights.safetensors': encodeSafetensors(checkpoint.weights),
    'optimizer.safetensors': encodeSafetensors(checkpoint.optimizer),
    'state.json': new TextEncoder().encode(`${encodeStrictJson(checkpoint.state)}\n`),
  };
}

/** Removes leftovers of a crash first, since this save may need their space. Hashing overlaps with writing. */
async function writeStaged(
  store: Store,
  name: string,
  files: Readonly<Record<CheckpointFile, Uint8Array<ArrayBuffer>>>,
  facts: Omit<Manifest, 'files'>,
): Promise<void> {
  await removeUnfinished(store);
  const staging = `${CHECKPOINTS}/${TEMPORARY}${name}`;
  const [described] = await Promise.all([
    describeFiles(files),
    ...CHECKPOINT_FILES.map((file) => store.writeAtomic(`${staging}/${file}`, files[file])),
  ]);
  await store.writeAtomic(`${staging}/manifest.json`, await encodeManifest({ ...facts, files: described }));
}

async function putInPlace(store: Store, name: string, sequence: number): Promise<void> {
  if (await store.exists(`${CHECKPOINTS}/${name}`)) {
    const aside = `${CHECKPOINTS}/${REPLACED}${sequence}-${name}`;
    await store.renameDirectory(`${CHECKPOINTS}/${name}`, aside);
  }
  await store.renameDirectory(`${CHECKPOINTS}/${TEMPORARY}${name}`, `${CHECKPOINTS}/${name}`);
}

/**
 * Names of the new checkpoint and of the newest `keep − 1` others that are intact. The others are hashed again (12 ms
 * for 8 MB, while the new one is written), so that a damaged one never displaces a usable one.
 */
async function chooseKept(store: Store, newest: string, before: Survey, keep: number): Promise<ReadonlySet<string>> {
  const kept = new Set([newest]);
  for (const { name, manifest } of before.whole) {
    if (kept.size >= keep) break;
    if (name === newest || name.startsWith(REPLACED)) continue;
    if ((await readFiles(store, name, manifest)).ok) kept.add(name);
  }
  return kept;
}

/** Removes every checkpoint that is not kept, damaged and replaced ones included. */
async function prune(store: Store, kept: ReadonlySet<string>): Promise<void> {
  for (const name of await store.list(CHECKPOINTS)) {
    if (kept.has(name) || !CHECKPOINT_NAME.test(name)) continue;
    // Renamed first: a removal that is cut short must not look like a damaged checkpoint.
    const condemned = `${CHECKPOINTS}/${TEMPORARY}${name}`;
    await store.renameDirectory(`${CHECKPOINTS}/${name}`, condemned);
    await store.remove(condemned);
  }
}

async function readFiles(
  store: Store,
  name: string,
  manifest: Manifest,
): Promise<Checked<Record<CheckpointFile, Uint8Array>>> {
  const read = async (file: CheckpointFile) => {
    const bytes = await store.read(`${CHECKPOINTS}/${name}/${file}`);
    return { bytes: bytes ?? new Uint8Array(0), reason: await checkFile(file, bytes, manifest) };
  };
  const [weights, optimizer, state] = await Promise.all(CHECKPOINT_FILES.map(read));
  const reason = weights.reason ?? optimizer.reason ?? state.reason;
  if (reason !== undefined) return { ok: false, reason };
  const files = { 'weights.safetensors': weights.bytes, 'optimizer.safetensors': optimizer.bytes };
  return { ok: true, value: { ...files, 'state.json': state.bytes } };
}

async function readCheckpoint(store: Store, name: string, manifest: Manifest): Promise<Checked<Checkpoint>> {
  const files = await readFiles(store, name, manifest);
  if (!files.ok) return files;
  const state = parseJsonObject(files.value['state.json']);
  if (state === undefined) return { ok: false, reason: 'state.json is not a JSON object' };
  const weights = decodeRecords(files.value['weights.safetensors']);
  const optimizer = decodeRecords(files.value['optimizer.safetensors']);
  const { stage, stageIndex, step, metricsBytes } = manifest;
  return { ok: true, value: { stage, stageIndex, step, weights, optimizer, state, metricsBytes } };
}

function decodeRecords(bytes: Uint8Array): TensorRecord[] {
  return [...decodeSafetensors(bytes).tensors].map(([name, { shape, data }]) => ({ name, shape, data }));
}

/** A file that cannot be read or decoded is damage with a name, not the end of the search for a better one. */
async function orReason<T>(operation: () => Promise<Checked<T>>): Promise<Checked<T>> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof CheckpointError) return { ok: false, reason: error.message };
    throw error;
  }
}
