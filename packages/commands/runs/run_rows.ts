/** What run directories tell at a glance. A broken one is a row that says what is broken. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { library } from '../../../src/cli/parts.ts';
import { resolvedTree } from '../../../src/config/dump.ts';
import { parseConfig } from '../../../src/config/load.ts';
import type { RunConfig } from '../../../src/config/run_config.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { isModuleFile } from '../../../src/rewards/module_file.ts';
import { newestCheckpoint } from '../../../src/run/checkpoint/checkpoints.ts';
import { changedSteps } from '../../../src/run/checkpoint/setting_changes.ts';
import { type Fingerprint, readFingerprint } from '../../../src/run/fingerprint/fingerprint.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from '../../../src/run/json.ts';
import { ADAPTER_WEIGHTS } from '../../../src/run/model/file_names.ts';
import { FREE_KEYS, MODEL_FOLDER } from '../../../src/run/session.ts';
import { systemCode } from '../../../src/run/store/file_errors.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { isLocked } from '../../../src/run/store/lock.node.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { fileWords, shownTaskName } from '../../../src/run/task_names.ts';
import { type TimeLeft, timeLeft } from '../../report/time_left.ts';
import { lastRecords } from './last_records.ts';
import { type RunNotes, readNotes } from './run_notes.ts';

/** `failed`: its figures were no longer finite; `damaged`: it can neither be resumed nor be asked as it is. */
export type RunCondition = 'running' | 'finished' | 'stopped' | 'failed' | 'damaged';

export interface RunRow {
  readonly directory: string;
  readonly condition: RunCondition;
  /** Why it failed, or what is damaged. */
  readonly problem?: string;
  /** What people call it, and what they wrote about it. */
  readonly notes?: RunNotes;
  readonly task?: string;
  readonly seed?: number;
  /** Optimizer steps of all stages: done, as the log has them, and planned. */
  readonly steps?: { readonly done: number; readonly planned: number };
  /** How long a run under way will still take, at the pace of its last steps. */
  readonly left?: TimeLeft;
  /** Accuracy of a finished run's model, else of the last evaluation, 0 to 1. */
  readonly greedy?: number;
  readonly sampled?: number;
  /** When the run last wrote something, milliseconds since 1970. */
  readonly changedMs: number;
  /** Bytes of all its files. */
  readonly bytes: number;
  /** Leaves of the config that decide bits, by their path; the seed is not among them. */
  readonly config: ReadonlyMap<string, string>;
}

/** A directory with one of these is, or was, that of a run. */
const SIGNS = ['fingerprint.json', 'metrics.jsonl', 'config.yaml', 'summary.json', 'checkpoints'];
/** Folders below the one that is listed: a series of runs may have one of its own. */
const MOST_DEPTH = 2;
/** The first look at the end of a log, and the last, in bytes. */
const FIRST_LOOK = 1 << 16;
const LAST_LOOK = 1 << 24;
/** Whose mean is the pace of a run. */
const PACE_STEPS = 20;
/** Milliseconds between the last line of a run's log and the file that says why it failed. */
const FAILURE_SLACK_MS = 5000;

/**
 * The runs in a directory, itself included, newest first.
 *
 * @param read  how a directory becomes a row
 * @throws CheckpointError where there is no such directory
 */
export async function runRows(directory: string, read = rowOf): Promise<RunRow[]> {
  const rows = await Promise.all((await runDirectories(directory)).map((found) => read(found)));
  return rows.sort((a, b) => b.changedMs - a.changedMs || (a.directory < b.directory ? -1 : 1));
}

/** Directories of runs in a directory, itself included. @throws CheckpointError where there is no such directory */
export async function runDirectories(directory: string): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    const rule =
      systemCode(error) === 'ENOENT' ? 'no such directory' : `cannot be read (${systemCode(error) ?? error})`;
    throw new CheckpointError('no-directory', `${directory}: ${rule}; give one that holds runs, such as runs.`);
  }
  if (names.includes('fingerprint.json') || names.includes('metrics.jsonl')) return [directory];
  return (await Promise.all(names.sort().map((name) => runsBelow(join(directory, name), 1)))).flat();
}

async function runsBelow(directory: string, depth: number): Promise<string[]> {
  try {
    if (!(await stat(directory)).isDirectory()) return [];
    const names = await readdir(directory);
    if (names.some((name) => SIGNS.includes(name))) return [directory];
    if (depth >= MOST_DEPTH) return [];
    return (await Promise.all(names.sort().map((name) => runsBelow(join(directory, name), depth + 1)))).flat();
  } catch (error) {
    return systemCode(error) === 'EACCES' ? [directory] : []; // a link to nowhere, a file of another kind
  }
}

/** What the directory of a run tells, however broken it is. */
export async function rowOf(directory: string): Promise<RunRow> {
  const [changedMs, bytes] = await Promise.all([lastChange(directory), sizeOf(directory)]);
  const { name, note } = await readNotes(fileStore(directory)).catch(() => ({ name: '', note: '' })); // unreadable
  const notes = name !== '' || note !== '' ? { notes: { name, note } } : {};
  const place = { directory, changedMs, bytes, config: new Map(), ...notes };
  const found = await orDamaged(() => readableRow(place));
  return { ...place, ...found };
}

async function readableRow(place: Pick<RunRow, 'directory' | 'changedMs' | 'bytes'>): Promise<RunRow> {
  const store = fileStore(place.directory);
  const isRunning = await isLocked(join(place.directory, '.lock'));
  const text = await store.read('config.yaml');
  if (text === undefined) throw new CheckpointError('no-run', 'has no config.yaml');
  const yaml = new TextDecoder().decode(text);
  const { config } = parseConfig(yaml, { file: 'config.yaml', registries: await library().naming(yaml) });
  const fingerprint = await readFingerprint(store).catch(() => undefined); // conditionOf says so
  const said = {
    ...place,
    ...outline(config, fingerprint),
    ...(await progress(store, config, await changedSteps(store))),
  };
  if (isRunning) return { ...said, condition: 'running' };
  const { left: _, ...over } = said;
  const found = await orDamaged(() => conditionOf(store, place));
  const { planned } = said.steps;
  return { ...over, ...found, ...(found.condition === 'finished' && { steps: { done: planned, planned } }) };
}

/** What a row says of a run besides its place. */
type Findings = Pick<RunRow, 'condition' | 'problem' | 'greedy' | 'sampled'>;

async function orDamaged<T extends Findings>(read: () => Promise<T>): Promise<T | Findings> {
  try {
    return await read();
  } catch (error) {
    return { condition: 'damaged', problem: error instanceof Error ? error.message : String(error) };
  }
}

function outline(config: RunConfig, fingerprint?: Fingerprint): Pick<RunRow, 'task' | 'seed' | 'config'> {
  const free: readonly string[] = ['seed', ...FREE_KEYS];
  const { stages = [], ...others } = resolvedTree(config);
  const kinds = config.stages.map(({ stage }) => stage);
  // As --set names them: by the kind of the stage where it tells which.
  const named = (stages as readonly JsonValue[]).map((stage, i): [string, JsonValue] => [
    kinds.indexOf(kinds[i]) === kinds.lastIndexOf(kinds[i]) ? kinds[i] : `stages.${i}`,
    stage,
  ]);
  const tree = [...Object.entries(others as JsonObject).filter(([key]) => !free.includes(key)), ...named];
  return {
    task: config.tasks.map(({ task }) => shownTaskName(task.name, fingerprint)).join(' + '),
    seed: config.seed,
    config: new Map(tree.flatMap(([key, value]) => leaves(key, value))),
  };
}

function leaves(path: string, value: JsonValue): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object'))
    return [[path, `[${value.join(', ')}]`]];
  if (Array.isArray(value) && value.every(isPlugin)) return [[path, `[${value.map(pluginText).join(', ')}]`]];
  return Object.entries(value).flatMap(([key, entry]) => leaves(`${path}.${key}`, entry));
}

type WrittenPlugin = JsonObject & { readonly name: string };

/** An entry of reward_funcs, credit_steps and the like. */
function isPlugin(value: JsonValue): value is WrittenPlugin {
  return isJsonObject(value) && typeof value.name === 'string';
}

/** `accuracy`, `near (weight 0.5)`: as a person calls it; a weight of 1 says nothing. */
function pluginText({ name, ...options }: WrittenPlugin): string {
  const said = Object.entries(options).filter(([key, option]) => key !== 'weight' || option !== 1);
  const shown = said.flatMap(([key, option]) => leaves(key, option).map((leaf) => leaf.join(' ')));
  const own = isModuleFile(name) ? fileWords(name) : name;
  return shown.length === 0 ? own : `${own} (${shown.join(', ')})`;
}

/**
 * The last step and the last evaluation of the log.
 *
 * @param lastSteps  of the last stage, where they were changed
 */
async function progress(
  store: Store,
  { stages }: RunConfig,
  lastSteps = stages.at(-1)?.optimizer.maxSteps ?? 0,
): Promise<Required<Pick<RunRow, 'steps'>> & Pick<RunRow, 'greedy' | 'sampled' | 'left'>> {
  const { steps, evaluation } = await lastOfLog(store);
  const step = steps.at(-1);
  const index = Math.max(
    stages.findIndex(({ stage }) => stage === step?.stage),
    await savedStage(store, (at) => stages[at]?.stage === step?.stage),
  );
  const stepsOf = (some: typeof stages): number => some.reduce((sum, { optimizer }) => sum + optimizer.maxSteps, 0);
  const planned = stepsOf(stages.slice(0, -1)) + lastSteps;
  const done = index < 0 ? 0 : stepsOf(stages.slice(0, index)) + numberOf(step?.step, 0);
  const planOf = ({ stage, optimizer, evaluation: { evalSteps } }: RunConfig['stages'][number], i: number) => ({
    stage,
    max_steps: i === stages.length - 1 ? lastSteps : optimizer.maxSteps,
    eval_steps: evalSteps,
  });
  const left = timeLeft(stages.map(planOf), {
    stage: index,
    step: numberOf(step?.step, 0),
    secondsPerStep: mean(steps.flatMap(({ stage, step_time }) => (stage === step?.stage ? numbersOf(step_time) : []))),
    secondsPerEvaluation: numbersOf(evaluation?.eval_runtime)[0],
  });
  return { steps: { done, planned }, ...(left && { left }), ...accuracyOf(evaluation) };
}

/** The stage of the newest checkpoint, which tells several of one kind apart; -1 where it is not of that kind. */
async function savedStage(store: Store, isOfKind: (index: number) => boolean): Promise<number> {
  const name = await newestCheckpoint(store);
  const manifest = name && (await store.read(`checkpoints/${name}/manifest.json`));
  const index = numberOf(manifest ? parseJsonObject(manifest)?.stageIndex : undefined, -1);
  return isOfKind(index) ? index : -1;
}

function accuracyOf(evaluation: JsonObject = {}): Pick<RunRow, 'greedy' | 'sampled'> {
  const greedy = evaluation.eval_accuracy;
  const sampled = Object.entries(evaluation).find(([name]) => /^eval_mean@\d+$/.test(name))?.[1];
  return { ...(typeof greedy === 'number' && { greedy }), ...(typeof sampled === 'number' && { sampled }) };
}

/** The last steps, by which a run's pace is known, and the last evaluation. */
async function lastOfLog(store: Store): Promise<{ steps: readonly JsonObject[]; evaluation?: JsonObject }> {
  for (let look = FIRST_LOOK; ; look *= 4) {
    const { records, isWhole } = await lastRecords(store, 'metrics.jsonl', look);
    const steps = records.filter(({ learning_rate }) => learning_rate !== undefined).slice(-PACE_STEPS);
    const evaluation = records.findLast(({ eval_accuracy }) => eval_accuracy !== undefined);
    if ((steps.length > 0 && evaluation) || isWhole || look >= LAST_LOOK)
      return { steps, ...(evaluation && { evaluation }) };
  }
}

/** What becomes of a run that no process works on. @throws CheckpointError that says what is damaged */
async function conditionOf(store: Store, { directory }: Pick<RunRow, 'directory'>): Promise<Findings> {
  if ((await readFingerprint(store)) === undefined) throw new CheckpointError('no-run', 'has no fingerprint.json');
  const summary = await store.read('summary.json');
  if (summary !== undefined) {
    const reached = parseJsonObject(summary);
    if (reached === undefined) throw new CheckpointError('run-malformed', 'summary.json is not JSON');
    const models = ['model.safetensors', ADAPTER_WEIGHTS].map((file) => `${MODEL_FOLDER}/${file}`);
    const found = await Promise.all(models.map((file) => store.exists(file)));
    if (!found.includes(true)) throw new CheckpointError('no-model', `has finished, but ${models[0]} is missing`);
    return { condition: 'finished', ...accuracyOf(evaluationOfModel(reached)) };
  }
  const newest = await newestCheckpoint(store);
  if (newest === undefined && (await store.list('checkpoints')).some((name) => !name.startsWith('.'))) {
    throw new CheckpointError('no-intact-checkpoint', 'none of its checkpoints has a readable manifest.json');
  }
  const failure = parseJsonObject((await store.read('failure.json')) ?? new Uint8Array(0));
  const [failedAt, loggedAt] = await Promise.all(
    ['failure.json', 'metrics.jsonl'].map((file) => changeOf(join(directory, file))),
  );
  if (failure === undefined || failedAt + FAILURE_SLACK_MS < loggedAt) return { condition: 'stopped' };
  return { condition: 'failed', problem: String(failure.message ?? 'see failure.json') };
}

/** That of the weights in `model/`: the last ones, or the best. */
function evaluationOfModel({ model, final, best }: JsonObject): JsonObject | undefined {
  if (model !== 'best') return isJsonObject(final) ? final : undefined;
  return isJsonObject(best) && isJsonObject(best.metrics) ? best.metrics : undefined;
}

function numberOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function numbersOf(value: JsonValue | undefined): number[] {
  return typeof value === 'number' ? [value] : [];
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function lastChange(directory: string): Promise<number> {
  const files = ['config.yaml', 'metrics.jsonl', 'summary.json', 'checkpoints'];
  const changes = await Promise.all(files.map((file) => changeOf(join(directory, file))));
  return Math.max(...changes) || changeOf(directory);
}

/** Milliseconds since 1970; 0 where there is nothing to be seen. */
async function changeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return 0;
  }
}

/** Bytes of all files that can be seen; links are not followed. */
async function sizeOf(directory: string): Promise<number> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const sizes = entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return sizeOf(path);
      return entry.isFile() ? (await stat(path)).size : 0;
    });
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  } catch {
    return 0; // a directory that may not be read, or a file that went away meanwhile
  }
}
