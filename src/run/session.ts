/**
 * A run in its directory: drives the trainer, writes the logs, checkpoints at step boundaries, resumes.
 *
 * Everything that a script may rely on is written here: `config.yaml`, `fingerprint.json`, `metrics.jsonl`,
 * `completions.jsonl`, `checkpoints/`, `model/`, `summary.json`, and on request `tensorboard/`.
 */
import { resolvedTree, resolvedYaml } from '../config/dump.ts';
import type { RunConfig } from '../config/run_config.ts';
import { cardOf, type TaskList } from '../data/registered_task.ts';
import { CheckpointError, NumericsError, PluginError } from '../errors.ts';
import type { EvaluationEvent, TrainEvent } from '../grpo/events.ts';
import { type Interruption, untilAborted } from '../grpo/interruption.ts';
import { isNothingToLearn } from '../grpo/nothing_to_learn.ts';
import type { Progress, TrainingRun } from '../grpo/run.ts';
import { isStageOver, withConfig } from '../grpo/run.ts';
import { evaluationEvent, train } from '../grpo/trainer.ts';
import type { Plugin } from '../options/keys.ts';
import { checkBest, keepBest, loadBest, pruneBest } from './checkpoint/best_weights.ts';
import { captureCheckpoint } from './checkpoint/capture.ts';
import { loadLatestCheckpoint, passedOver, removeUnfinished, saveCheckpoint } from './checkpoint/checkpoints.ts';
import { changedConfig, changeSteps, describeChange, readChanges } from './checkpoint/setting_changes.ts';
import type { Fingerprint, RunIdentity } from './fingerprint/fingerprint.ts';
import { checkResume, describeChanges, hashConfig, identityOf, writeFingerprint } from './fingerprint/fingerprint.ts';
import { flatConfig } from './flat_config.ts';
import type { JsonObject } from './json.ts';
import { pruneAnswers, recordAnswers } from './logs/answer_files.ts';
import { rarerNote } from './logs/completions.ts';
import { keepFinal, keepRecords } from './logs/problem_records.ts';
import { type EventLog, RunLogs } from './logs/run_logs.ts';
import { ADAPTER_CONFIG, CONFIG } from './model/file_names.ts';
import { bestOrigin, describeModel, exportModel, lastOrigin } from './model/model_export.ts';
import { MODEL_FOLDER } from './model/model_files.ts';
import { recordedConfig } from './recorded_config.ts';
import { reported } from './reporter_event.ts';
import { requireDirectory, requireFresh, requireRun } from './store/directory_checks.ts';
import type { Claim, Store } from './store/store.ts';
import { type Summary, summarize } from './summary.ts';
import type { Tracker } from './tracker.ts';
import { TrackerGroup } from './tracker_group.ts';

export { MODEL_FOLDER };

/** Events of the session besides the trainer's. */
export type SessionEvent =
  | TrainEvent
  | { readonly type: 'note'; readonly message: string }
  /** Resumes from a checkpoint, which holds `wallSeconds` of work; the logs are cut back to it. */
  | { readonly type: 'resumed'; readonly checkpoint: string; readonly wallSeconds: number }
  | { readonly type: 'checkpoint'; readonly name: string }
  /**
   * `again`: the work that was cut off and that a resume repeats. `isSaved`: there is a step or baseline to resume
   * from.
   */
  | {
      readonly type: 'stopped';
      readonly step: number;
      readonly isSaved: boolean;
      readonly again?: 'evaluation' | 'step';
    }
  | { readonly type: 'finished'; readonly summary: Summary };

/** A run, its store, and what it asks of the caller at each step boundary. */
export interface SessionOptions {
  readonly run: TrainingRun;
  readonly store: Store;
  readonly fingerprint: Fingerprint;
  /** Where the store lies, for messages. */
  readonly directory?: string;
  readonly resume: boolean;
  /** Resume although the fingerprint differs. */
  readonly force: boolean;
  /** Total steps of the last stage of a resumed run, even a finished one. */
  readonly maxSteps?: number | undefined;
  /** The config that the run began with, if settings have changed since; default: the run's. */
  readonly startConfig?: RunConfig;
  /** Asked at each step boundary: true ends the session after a checkpoint. */
  readonly shouldStop?: () => boolean;
  /**
   * Once aborted, the session saves a checkpoint and ends: at once within an evaluation or a step whose weights have
   * not changed, which a resume repeats to the same bits; otherwise after the step.
   */
  readonly signal?: Interruption;
  /**
   * Asked at each step boundary, and again after each evaluation that it asked for: true evaluates now. The run waits
   * for the answer, so a promise that is kept open pauses it. Neither changes a bit of what follows.
   */
  readonly wantsEvaluation?: () => boolean | Promise<boolean>;
  /** Written beside the run's own logs. */
  readonly eventLog?: EventLog | undefined;
  /** They receive the run's events; their notes become events of the session. */
  readonly trackers?: readonly Tracker[];
}

/** Keys of the config that do not decide bits of the training. */
export const FREE_KEYS = [
  'output_dir',
  'threads',
  'save_seconds',
  'save_total_limit',
  'reward_timeout',
  'backend',
  'gradient_checkpointing',
  'report_to',
  'reporters',
  'load_best_model_at_end',
] as const;

/** Hash of everything in the config that decides bits. @param list  what its tasks are looked up in */
export async function configHash(config: RunConfig, list: TaskList): Promise<string> {
  const tasks = config.tasks.map(({ task, weight }) => ({ task: withoutFreeKnobs(task, list), weight }));
  return hashConfig(treeOf({ ...config, tasks }), FREE_KEYS);
}

function withoutFreeKnobs(task: Plugin, list: TaskList): Plugin {
  const { freeKnobs = [] } = cardOf(list, task.name) ?? {};
  const { name, ...knobs } = task;
  return { name, ...Object.fromEntries(Object.entries(knobs).filter(([knob]) => !freeKnobs.includes(knob))) };
}

const treeOf = (config: RunConfig): JsonObject => resolvedTree(config) as JsonObject; // a config is plain data

/** The options, the claim on the directory, and the run in it, whose config may differ with `force`. */
interface ClaimedOptions extends SessionOptions {
  readonly claim: Claim;
  readonly identity: RunIdentity;
}

/**
 * Starts or resumes a run, and locks its directory until the session ends.
 * @throws CheckpointError if the directory does not allow it, `run-under-way` if another process trains in it
 */
export async function* session(options: SessionOptions): AsyncGenerator<SessionEvent> {
  const recorded = options.resume ? await requireRun(options) : undefined; // before a claim makes the directory
  const claim = await options.store.claim();
  try {
    yield* sessionUnder({ ...options, claim, identity: identityOf(recorded ?? options.fingerprint) });
  } finally {
    // A leftover lock is void once its process is gone; the user needs to see what ended the run.
    await claim.release().catch(() => undefined);
  }
}

async function* sessionUnder(given: ClaimedOptions): AsyncGenerator<SessionEvent> {
  const { store } = given;
  if (!given.resume) await requireFresh(given, startConfigOf(given));
  await store.removeLeftovers();
  await removeUnfinished(store);
  const logs = await RunLogs.open(store, given.eventLog);
  let earlierSeconds = 0;
  let resumedFrom: string | undefined;
  let options = given;
  if (options.resume) {
    const resumed = await resume(options, logs);
    options = { ...options, run: resumed.run };
    earlierSeconds = resumed.wallSeconds;
    resumedFrom = resumed.checkpoint;
    if (resumedFrom !== undefined) yield { type: 'resumed', checkpoint: resumedFrom, wallSeconds: earlierSeconds };
    for (const message of resumed.notes) yield { type: 'note', message };
  } else {
    await startDirectory(options);
  }
  // An earlier version, or a kill, may have left none.
  if (!(await isDescribed(store))) await describeModel(store, MODEL_FOLDER, options.run);
  const { run, directory = '' } = options;
  await recordAnswers(run, store);
  const trackers = new TrackerGroup(options.trackers);
  trackers.tell({ type: 'start', directory, config: flatConfig(run.config), ...(resumedFrom && { resumedFrom }) });
  const start = run.journal.clock();
  const wallSeconds = (): number => earlierSeconds + (run.journal.clock() - start) / 1000;
  let savedAt = run.journal.clock();
  let rest = restOf(run, logs);
  /** The rest point of the newest checkpoint; undefined: there is none yet. */
  let saved = resumedFrom === undefined ? undefined : rest;
  const rests = (): void => {
    rest = restOf(run, logs);
  };
  const { signal } = options;
  let newest: EvaluationEvent | undefined;
  async function* save(): AsyncGenerator<SessionEvent> {
    const name = await checkpoint(options, logs, wallSeconds());
    savedAt = run.journal.clock();
    saved = rest;
    trackers.tell({ type: 'checkpoint', name });
    yield { type: 'checkpoint', name };
  }
  try {
    for await (const event of train(run, { signal, onPoint: rests })) {
      yield* trackers.notes();
      const reporterEvent = reported(run, event);
      await logs.record(event, reporterEvent);
      trackers.tell(reporterEvent);
      if (event.type === 'evaluation') {
        await requireDirectory(options, options.claim);
        await keepBest(run, store);
        await keepRecords(run, store, event);
        newest = event;
      }
      // The last step was saved before the final evaluation and its diagnoses.
      if (event.type === 'end' && newest?.moment === 'final') yield* save();
      yield event;
      if (event.type !== 'step') continue;
      rests();
      const rarer = event.stage === 'grpo' ? rarerNote(event.step) : undefined;
      if (rarer !== undefined) yield { type: 'note', message: rarer };
      if (!isComplete(run)) yield* requestedEvaluations(options, logs, trackers, rests);
      const stop = options.shouldStop?.() || signal?.aborted;
      const isDue = atStageEnd(run) || run.journal.clock() - savedAt >= run.config.saveSeconds * 1000;
      if (stop || isDue || logs.hasRefused) yield* save();
      if (stop && !isComplete(run)) {
        yield* trackers.close({ end: 'stopped' });
        yield { type: 'stopped', step: event.step, isSaved: true };
        return;
      }
    }
  } catch (error) {
    if (signal?.aborted && error === signal.reason) {
      await logs.takeBack(rest.ends);
      const { isBegun, step, unreported } = run.journal.state;
      // A stage that has not begun adds nothing to the checkpoint before it, or to the run's start.
      if (isBegun && !isEqual(saved, rest)) yield* save();
      yield* trackers.close({ end: 'stopped' });
      const again = isBegun && unreported === undefined && !atStageEnd(run) ? 'step' : 'evaluation';
      yield { type: 'stopped', step, isSaved: saved !== undefined, again };
      return;
    }
    await keepEvidence(store, logs, error);
    const { isBegun, unreported } = run.journal.state;
    const isAtRest = isBegun && unreported === undefined && isEqual(rest.state, restOf(run, logs).state);
    if (error instanceof PluginError && isAtRest) {
      // The failed batch has not changed the run, so the work before it need not be lost.
      await logs.takeBack({ completions: rest.ends.completions });
      await checkpoint(options, logs, wallSeconds());
    }
    // Dead batches are not sampled again: save what the policy learned before them.
    if (isBegun && unreported === undefined && isNothingToLearn(error)) await checkpoint(options, logs, wallSeconds());
    yield* trackers.close({ end: 'failed' });
    throw error;
  }
  // If a controller ended the stage after an evaluation, that one is the final one.
  if (newest?.moment === 'periodic' && newest.evaluation === run.journal.state.final)
    await keepFinal(run, store, newest);
  yield* finish(options, logs, trackers, wallSeconds);
}

/** The state that a batch changes; it is equal before and after a batch that failed and was taken back. */
function restOf({ journal: { state } }: Progress, { ends }: RunLogs) {
  const { stageIndex, step, itemsDrawn, rolloutsDrawn, buffer } = state;
  return { state: { stageIndex, step, itemsDrawn, rolloutsDrawn, stepsTaken: buffer?.stepsTaken }, ends };
}

function isEqual(value: object | undefined, other: object): boolean {
  return JSON.stringify(value) === JSON.stringify(other);
}

/** Evaluations use their own random streams, and move no counter of the run. */
async function* requestedEvaluations(
  { run, wantsEvaluation, signal }: SessionOptions,
  logs: RunLogs,
  trackers: TrackerGroup,
  rests: () => void,
): AsyncGenerator<TrainEvent> {
  while (await wantsEvaluation?.()) {
    const evaluated = () => evaluationEvent(run, 'requested');
    const event = await (signal ? untilAborted(run.engine, signal, evaluated) : evaluated());
    const reporterEvent = reported(run, event);
    await logs.record(event, reporterEvent);
    trackers.tell(reporterEvent);
    rests();
    yield event;
  }
}

function atStageEnd(run: Progress): boolean {
  return isStageOver(run);
}

function isComplete(run: Progress): boolean {
  return run.journal.state.stageIndex === run.config.stages.length - 1 && atStageEnd(run);
}

/** @throws CheckpointError if the disk refuses the checkpoint or, after the save, lines of the logs */
async function checkpoint(options: ClaimedOptions, logs: RunLogs, wallSeconds: number): Promise<string> {
  const { run, store } = options;
  await requireDirectory(options, options.claim);
  const { positions, failure } = await logs.positions();
  const captured = await captureCheckpoint(run, positions, wallSeconds);
  const { name } = await saveCheckpoint(store, captured, { keep: run.config.saveTotalLimit, run: options.identity });
  await pruneBest(run, store);
  await pruneAnswers(run, run.config.saveTotalLimit);
  await logs.flushEvents();
  if (failure !== undefined) throw failure;
  return name;
}

function startConfigOf({ run, startConfig = run.config }: SessionOptions): RunConfig {
  return startConfig;
}

async function startDirectory(options: SessionOptions): Promise<void> {
  const { store, fingerprint } = options;
  await store.writeAtomic('config.yaml', new TextEncoder().encode(resolvedYaml(startConfigOf(options))));
  await writeFingerprint(store, fingerprint);
}

/** Whether the last file of the description is there. */
async function isDescribed(store: Store): Promise<boolean> {
  const files = [CONFIG, ADAPTER_CONFIG].map((file) => store.exists(`${MODEL_FOLDER}/${file}`));
  return (await Promise.all(files)).includes(true);
}

interface Resumed {
  /** With the settings that were changed since the start. */
  readonly run: TrainingRun;
  readonly wallSeconds: number;
  readonly notes: readonly string[];
  readonly checkpoint?: string;
}

async function resume(options: ClaimedOptions, logs: RunLogs): Promise<Resumed> {
  const { run, store, fingerprint, force } = options;
  const recorded = await requireRun(options);
  const started = await recordedConfig(store, run.registries);
  const configChanges = started && describeChanges(treeOf(started), treeOf(startConfigOf(options)), FREE_KEYS);
  const notes = checkResume({ recorded, current: fingerprint, force, configChanges });
  const loaded = await loadLatestCheckpoint(store, options.identity);
  if (loaded === undefined) {
    await logs.cutTo({ metrics: 0, completions: 0 });
    await pruneBest(run, store);
    notes.push('the run has no checkpoint yet: it starts over from step 0.');
    return { run: await withChanges(options, notes), wallSeconds: 0, notes };
  }
  notes.push(...loaded.damaged.map(passedOver));
  const { restoreCheckpoint } = await import('./checkpoint/restore.ts');
  const { logs: positions, wallSeconds } = restoreCheckpoint(run, loaded.checkpoint);
  notes.push(...(await logs.cutTo(positions)));
  const lost = await checkBest(run, store);
  if (lost !== undefined) notes.push(lost);
  await pruneBest(run, store);
  notes.push(`resumed from checkpoint ${loaded.name}.`);
  return { run: await withChanges(options, notes), wallSeconds, notes, checkpoint: loaded.name };
}

/** Applies settings changed on the page or by flags, which the run keeps wherever it resumes. */
async function withChanges({ run, store, maxSteps }: SessionOptions, notes: string[]): Promise<TrainingRun> {
  if (maxSteps !== undefined) await changeSteps(store, run, maxSteps);
  const changes = await readChanges(store, run.journal.state);
  const config = changedConfig(run.config, changes, run.registries);
  if (JSON.stringify(treeOf(config)) === JSON.stringify(treeOf(run.config))) return run; // made already, by the page
  notes.push(`settings changed since the start: ${changes.map(describeChange).join('; ')}.`);
  return withConfig(run, config);
}

/** A failed run keeps its logs, and the batch that broke it. */
async function keepEvidence(store: Store, logs: RunLogs, error: unknown): Promise<void> {
  if (error instanceof CheckpointError && error.code === 'directory-lost') return; // there is none to keep it in
  try {
    await logs.flush();
  } catch (second) {
    if (!(error instanceof CheckpointError && second instanceof CheckpointError)) throw second; // the first one is reported
  }
  if (error instanceof NumericsError) {
    const text = JSON.stringify({ code: error.code, message: error.message, ...error.facts }, null, 2);
    await store.writeAtomic('failure.json', new TextEncoder().encode(text));
  }
}

/** Writes the model: the last weights or, on request, the best ones, which then become the policy's, too. */
async function* finish(
  options: ClaimedOptions,
  logs: RunLogs,
  trackers: TrackerGroup,
  wallSeconds: () => number,
): AsyncGenerator<SessionEvent> {
  const { run, store, fingerprint } = options;
  await requireDirectory(options, options.claim);
  await logs.flush();
  const { best } = run.journal.state;
  const isWanted = run.config.loadBestModelAtEnd && best !== undefined;
  const problem = isWanted ? await loadBest(run, store, best) : undefined;
  if (problem !== undefined) yield { type: 'note', message: `${problem}: the model is the last weights.` };
  const model = isWanted && problem === undefined ? 'best' : 'last';
  const sha256 = await exportModel(
    store,
    MODEL_FOLDER,
    run,
    model === 'best' && best ? bestOrigin(run, best) : lastOrigin(run),
  );
  const summary = summarize(run, fingerprint, { wallSeconds: wallSeconds(), weightsSha256: sha256, model });
  await store.writeAtomic('summary.json', new TextEncoder().encode(`${JSON.stringify(summary, null, 2)}\n`));
  yield* trackers.close({ end: 'finished', summary });
  yield { type: 'finished', summary };
}
