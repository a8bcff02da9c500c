/**
 * A run in its directory: drives the trainer, writes the logs, checkpoints at step boundaries, resumes.
 *
 * Everything that a script may rely on is written here: `config.yaml`, `fingerprint.json`, `metrics.jsonl`,
 * `completions.jsonl`, `checkpoints/`, `model/`, `summary.json`.
 */
import { resolvedTree, resolvedYaml } from '../config/dump.ts';
import type { RunConfig } from '../config/run_config.ts';
import { CheckpointError, NumericsError } from '../errors.ts';
import { evaluate } from '../grpo/evaluate.ts';
import type { TrainEvent } from '../grpo/events.ts';
import { evaluationMetrics } from '../grpo/metrics.ts';
import type { TrainingRun } from '../grpo/run.ts';
import { stageOf } from '../grpo/run.ts';
import { train } from '../grpo/trainer.ts';
import { loadLatestCheckpoint, saveCheckpoint } from './checkpoints.ts';
import { completionRecords } from './completions.ts';
import type { Fingerprint } from './fingerprint.ts';
import { checkResume, hashConfig, readFingerprint, writeFingerprint } from './fingerprint.ts';
import type { JsonObject } from './json.ts';
import { MetricsLog } from './metrics_log.ts';
import { writeModel } from './model_files.ts';
import { captureCheckpoint, restoreCheckpoint } from './state.ts';
import type { Store } from './store.ts';
import { type Summary, summarize } from './summary.ts';

/** What the session tells besides the trainer's events. */
export type SessionEvent =
  | TrainEvent
  | { readonly type: 'note'; readonly message: string }
  | { readonly type: 'checkpoint'; readonly name: string }
  | { readonly type: 'stopped'; readonly step: number }
  | { readonly type: 'finished'; readonly summary: Summary };

export interface SessionOptions {
  readonly run: TrainingRun;
  readonly store: Store;
  readonly fingerprint: Fingerprint;
  readonly resume: boolean;
  /** Resume although the fingerprint differs. */
  readonly force: boolean;
  /** Asked at each step boundary: true ends the session after a checkpoint. */
  readonly shouldStop: () => boolean;
  /**
   * Asked at each step boundary, and again after each evaluation that it asked for: true evaluates now. The run waits
   * for the answer, so a promise that is kept open pauses it. Neither changes a bit of what follows.
   */
  readonly wantsEvaluation?: () => boolean | Promise<boolean>;
}

/** Keys of the config that do not decide bits. */
const FREE_KEYS = ['output_dir', 'threads', 'save_seconds', 'save_total_limit', 'backend'] as const;

export const MODEL_FOLDER = 'model';

/** Hash of everything in the config that decides bits. */
export async function configHash(config: RunConfig): Promise<string> {
  return hashConfig(resolvedTree(config) as JsonObject, FREE_KEYS);
}

interface Logs {
  readonly metrics: MetricsLog;
  readonly completions: MetricsLog;
}

/** Runs, or goes on with, a run. @throws CheckpointError when the directory does not allow it */
export async function* session(options: SessionOptions): AsyncGenerator<SessionEvent> {
  const { run, store } = options;
  const logs: Logs = {
    metrics: await MetricsLog.open(store, 'metrics.jsonl'),
    completions: await MetricsLog.open(store, 'completions.jsonl'),
  };
  let earlierSeconds = 0;
  if (options.resume) {
    const resumed = await resume(options, logs);
    earlierSeconds = resumed.wallSeconds;
    for (const message of resumed.notes) yield { type: 'note', message };
  } else {
    await requireFresh(store);
    await startDirectory(options);
  }
  const start = run.clock();
  const wallSeconds = (): number => earlierSeconds + (run.clock() - start) / 1000;
  let savedAt = run.clock();
  try {
    for await (const event of train(run)) {
      await record(logs, event);
      yield event;
      if (event.type !== 'step') continue;
      if (!isComplete(run)) yield* requestedEvaluations(options, logs);
      const stop = options.shouldStop();
      if (stop || atStageEnd(run) || run.clock() - savedAt >= run.config.saveSeconds * 1000) {
        const name = await checkpoint(options, logs, wallSeconds());
        savedAt = run.clock();
        yield { type: 'checkpoint', name };
      }
      if (stop && !isComplete(run)) {
        yield { type: 'stopped', step: event.step };
        return;
      }
    }
  } catch (error) {
    await keepEvidence(store, logs, error);
    throw error;
  }
  yield { type: 'finished', summary: await finish(options, logs, wallSeconds()) };
}

/** Evaluations keep to random streams of their own, and move no counter of the run. */
async function* requestedEvaluations({ run, wantsEvaluation }: SessionOptions, logs: Logs): AsyncGenerator<TrainEvent> {
  while (await wantsEvaluation?.()) {
    const stage = stageOf(run);
    const evaluation = await evaluate(run, stage);
    const { step } = run.position;
    const event: TrainEvent = { type: 'evaluation', moment: 'requested', stage: stage.stage, step, evaluation };
    await record(logs, event);
    yield event;
  }
}

function atStageEnd(run: TrainingRun): boolean {
  return run.position.step >= stageOf(run).maxSteps;
}

function isComplete(run: TrainingRun): boolean {
  return run.position.stageIndex === run.config.stages.length - 1 && atStageEnd(run);
}

async function record({ metrics, completions }: Logs, event: TrainEvent): Promise<void> {
  if (event.type === 'step') await metrics.append(event.metrics);
  if (event.type === 'evaluation') {
    const { step, stage, moment, evaluation } = event;
    await metrics.append({ step, stage, evaluation: moment, ...evaluationMetrics(evaluation) });
  }
  if (event.type === 'diagnosis') {
    await metrics.append({ step: event.step, diagnosis: event.diagnosis.code, message: event.diagnosis.message });
  }
  if (event.type === 'rollouts') {
    for (const line of completionRecords(event.step, event.groups)) await completions.append(line);
  }
}

async function checkpoint({ run, store }: SessionOptions, logs: Logs, wallSeconds: number): Promise<string> {
  const positions = { metrics: await logs.metrics.bytes(), completions: await logs.completions.bytes() };
  const captured = await captureCheckpoint(run, positions, wallSeconds);
  const { name } = await saveCheckpoint(store, captured, { keep: run.config.saveTotalLimit });
  return name;
}

/** @throws CheckpointError where the directory already holds a run */
async function requireFresh(store: Store): Promise<void> {
  if (!(await store.exists('fingerprint.json')) && !(await store.exists('metrics.jsonl'))) return;
  throw new CheckpointError(
    'directory-in-use',
    'the output directory already holds a run. Go on with it by --resume, or choose another --output.',
  );
}

async function startDirectory({ run, store, fingerprint }: SessionOptions): Promise<void> {
  await store.writeAtomic('config.yaml', new TextEncoder().encode(resolvedYaml(run.config)));
  await writeFingerprint(store, fingerprint);
}

async function resume(options: SessionOptions, logs: Logs): Promise<{ wallSeconds: number; notes: string[] }> {
  const { run, store, fingerprint, force } = options;
  const recorded = await readFingerprint(store);
  if (recorded === undefined) {
    throw new CheckpointError(
      'no-run',
      'there is no run to resume in the output directory. Start one without --resume.',
    );
  }
  const notes = checkResume({ recorded, current: fingerprint, force });
  const loaded = await loadLatestCheckpoint(store);
  if (loaded === undefined) {
    await logs.metrics.truncateTo(0);
    await logs.completions.truncateTo(0);
    return { wallSeconds: 0, notes: [...notes, 'the run has no checkpoint yet: it starts over from step 0.'] };
  }
  for (const { name, reason } of loaded.damaged)
    notes.push(`checkpoint ${name} is damaged (${reason}); the one before it is used.`);
  const { logs: positions, wallSeconds } = restoreCheckpoint(run, loaded.checkpoint);
  const cut = await logs.metrics.truncateTo(positions.metrics);
  await logs.completions.truncateTo(positions.completions);
  if (cut.missingBytes > 0) notes.push(`metrics.jsonl has lost ${cut.missingBytes} bytes that the checkpoint counted.`);
  notes.push(`resumed from checkpoint ${loaded.name}.`);
  return { wallSeconds, notes };
}

/** A failed run keeps its logs, and the batch that broke it. */
async function keepEvidence(store: Store, logs: Logs, error: unknown): Promise<void> {
  await logs.metrics.flush();
  await logs.completions.flush();
  if (error instanceof NumericsError) {
    const text = JSON.stringify({ code: error.code, message: error.message, ...error.facts }, null, 2);
    await store.writeAtomic('failure.json', new TextEncoder().encode(text));
  }
}

async function finish({ run, store, fingerprint }: SessionOptions, logs: Logs, wallSeconds: number): Promise<Summary> {
  await logs.metrics.flush();
  await logs.completions.flush();
  const sha256 = await writeModel(store, MODEL_FOLDER, run.policy, run.task.tokenizer);
  const summary = summarize(run, fingerprint, wallSeconds, sha256);
  await store.writeAtomic('summary.json', new TextEncoder().encode(`${JSON.stringify(summary, null, 2)}\n`));
  return summary;
}
