/** `rlvr-train --config FILE`: the main job. */

import { basename, resolve } from 'node:path';
import { closeEngine } from '../../grpo/engine.ts';
import { fewHeldOut } from '../../methods/statistics.ts';
import { plannedMemory } from '../../planning/memory_plan.ts';
import { fingerprintOf } from '../../run/fingerprint/run_fingerprint.node.ts';
import { answerFiles } from '../../run/logs/answer_files.ts';
import { openRun } from '../../run/open_run.ts';
import type { OpenedConfig } from '../../run/opened_config.ts';
import { resumeCommand } from '../../run/resume_command.ts';
import { session } from '../../run/session.ts';
import { fileStore, requireWritable } from '../../run/store/files.node.ts';
import { announceFile } from '../display/announce_file.ts';
import type { Display } from '../display/display.ts';
import { openLines } from '../display/open_lines.ts';
import { printError } from '../display/output.ts';
import { type ConfiguredBase, commandParts, withBase } from '../parts.ts';
import { chooseBackend, threadsNote } from '../process/backend.ts';
import { onHangup } from '../process/hangup.ts';
import { LOST_READER_CODE, onLostReader } from '../process/lost_reader.ts';
import { prepareKernels } from '../process/prepare_kernels.ts';
import { type LoadedRun, loadRun } from '../runs/load_run.ts';
import { withResumeAdvice } from '../runs/resume_advice.ts';
import type { TrainOptions } from './train_options.ts';
import type { Attendance, TrainingFleet, TrainingParts } from './training_parts.ts';

/** What survives when a run goes back: its fleet, which knows the workers that returned wrong results. */
interface Held {
  fleet?: TrainingFleet | undefined;
  /** Said once the run is resumed. */
  notes: string[];
}

/** A requested training, with its parts. */
interface Asking {
  readonly options: TrainOptions;
  readonly parts: TrainingParts;
  readonly held: Held;
}

export async function trainCommand(options: TrainOptions, parts: TrainingParts = {}): Promise<void> {
  const held: Held = { notes: [] };
  try {
    let output = await trainOnce({ options, parts, held });
    while (output !== undefined)
      output = await trainOnce({ options: { ...options, resume: true, output }, parts, held });
  } finally {
    await held.fleet?.close();
  }
}

/** @returns the directory of a run that went back, and is to be resumed */
async function trainOnce(asking: Asking): Promise<string | undefined> {
  const { options, parts } = asking;
  const given = await loadRun(options, parts.findRun);
  const { file, directory, problems } = given;
  refuseReports(given, parts);
  const { force } = options;
  await requireWritable(directory, parts.look !== undefined);
  const run = options.resume ? { directory, goal: 'resume' as const, force } : undefined;
  const approve = parts.approval?.({ file, problems, run });
  const { loaded, base, models } = await withBase(given, file, options.resume ? directory : undefined);
  const store = fileStore(directory);
  const answers = options.resume ? (task: number) => answerFiles(store, task) : undefined;
  const plugins = await commandParts().openConfig(loaded, {
    file,
    directory,
    announce: announceFile,
    approve,
    codec: base?.codec,
    answers,
  });
  try {
    const wentBack = await trainWith({ ...loaded, config: plugins.config }, plugins, { base, models }, asking);
    return wentBack ? directory : undefined;
  } catch (error) {
    throw loaded.problems.placed(error);
  } finally {
    await plugins.close();
  }
}

async function trainWith(
  loaded: LoadedRun,
  plugins: OpenedConfig,
  { base: pretrained, models = {} }: Omit<ConfiguredBase, 'config'>,
  { options, parts, held }: Asking,
): Promise<boolean> {
  const { config, directory, lineOf, maxSteps } = loaded;
  const { tasks, rewards, registries, modules } = plugins;
  const ofModels = [pretrained, ...Object.values(models)].flatMap((model) => model?.notes ?? []);
  const notes = [...held.notes.splice(0), ...ofModels, ...plugins.notes];
  const backend = await chooseBackend(config, (why) => notes.push(`backend: wasm, since ${why}`));
  const tooMany = threadsNote(config.threads);
  if (tooMany !== undefined && backend.name === 'wasm') notes.push(tooMany);
  if (loaded.notes.length > 0) notes.push(idleKeys(loaded));
  const { adviseMemory, attend = () => unattended(options), reportTo } = parts;
  const attendance = attend();
  const { clock, signal, wantsEvaluation } = attendance;
  held.fleet ??= await parts.connectFleet?.();
  const { fleet } = held;
  const { makeGenerator } = fleet ?? {};
  const run = await openRun(config, tasks, backend, {
    registries,
    rewards,
    lineOf,
    pretrained,
    models,
    adviseMemory,
    clock,
    makeGenerator,
  });
  const goesBack = async (): Promise<boolean> => {
    const rollback = await fleet?.goBack(run, fileStore(directory));
    if (rollback !== undefined) held.notes.push(rollback);
    return rollback !== undefined;
  };
  try {
    const few = fewHeldOut(run.engine.tasks.heldOutItems().length);
    if (few !== undefined) notes.push(`evaluation: ${few}`);
    const fingerprint = await fingerprintOf(run, modules);
    const plans = Object.values(run.engine.models).map(({ policy }) => policy.plan);
    const plannedBytes = plannedMemory(backend, plans, fingerprint.threads);
    if (parts.look !== undefined) {
      await parts.look({ ...loaded, run, fingerprint, plannedBytes });
      return false;
    }
    const display = await attendance.openDisplay({ run, directory });
    const interrupts = listenForInterrupt(attendance, display, directory);
    try {
      if (loaded.isMainJob) display.say(mainJobLine(loaded));
      if (loaded.found !== undefined) display.say(`resuming the newest unfinished run: ${loaded.found.about}`);
      display.opening(fingerprint, plannedBytes);
      for (const note of notes) display.say(note);
      await prepareKernels(run.engine.policy.engine, (line) => display.say(line));
      await fleet?.open(run, { directory, pretrained }, (line) => display.say(line));
      const { resume = false, force = false } = options;
      const store = fileStore(directory);
      const tracked = { store, name: basename(resolve(directory)), directory };
      const reporting = await reportTo?.(config, tracked);
      const trackers = [...(reporting?.trackers ?? []), ...plugins.reporters];
      let hasBegun = false;
      for await (const event of session({
        run,
        store,
        fingerprint,
        directory,
        resume,
        force,
        maxSteps,
        eventLog: reporting?.eventLog,
        trackers,
        signal,
        wantsEvaluation,
      })) {
        // Now the directory is there, and held.
        if (!hasBegun) attendance.begun(directory, (line) => display.say(line));
        hasBegun = true;
        if (event.type === 'step') await fleet?.record(event);
        await display.handle(event);
        if (event.type === 'stopped') process.exitCode = interrupts.exitCode();
        if (event.type === 'checkpoint') interrupts.saved(event.name);
        if (event.type === 'resumed') interrupts.saved(event.checkpoint);
      }
      if ((await goesBack()) && !signal.aborted) return true;
      for (const line of [...held.notes, ...(fleet?.lines ?? [])]) display.say(line);
      return false;
    } finally {
      await attendance.close();
      interrupts.release();
      display.close();
    }
  } catch (error) {
    if (await goesBack()) return true;
    throw await withResumeAdvice(error, fileStore(directory), directory);
  } finally {
    await closeEngine(run.engine);
  }
}

/** @throws ConfigError if a config names trackers that this command lacks */
function refuseReports({ config, problems }: LoadedRun, { reportTo }: TrainingParts): void {
  if (reportTo !== undefined || config.reportTo.length === 0) return;
  problems.add('report_to', config.reportTo.join(', '), 'this command writes its own logs alone; leave it out');
  problems.throwIfAny();
}

/** A run in lines, which only a signal can stop. */
function unattended(options: TrainOptions): Attendance {
  const stopping = new AbortController();
  return {
    signal: stopping.signal,
    stop: () => stopping.abort(),
    openDisplay: async (shown) => openLines(shown, options),
    begun: () => undefined,
    close: async () => undefined,
  };
}

function mainJobLine({ file, directory }: LoadedRun): string {
  return `no --config: training the main job, ${file}, into ${directory}`;
}

const MOST_NAMED = 6;

/** A line on TRL's keys that this trainer ignores. */
function idleKeys({ notes, file }: Pick<LoadedRun, 'notes' | 'file'>): string {
  const names = notes.slice(0, MOST_NAMED).map(({ path }) => path);
  const more = notes.length - names.length;
  const list = more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;
  return `${file}: ${list} ${notes.length === 1 ? 'changes' : 'change'} nothing here (--dry-run says why)`;
}

interface Interrupts {
  /** Remembers the checkpoint from which a run that is ended at once resumes. */
  saved(checkpoint: string): void;
  exitCode(): number;
  release(): void;
}

/**
 * The first Ctrl-C or kill asks the run to stop and to save; the second one says how to resume, and is then the
 * system's. A lost reader, a closed terminal and a full disk at standard output are as the first: Ctrl-C also ends
 * the `tee` that reads a run.
 */
function listenForInterrupt(attendance: Attendance, display: Display, directory: string): Interrupts {
  let exitCode = 130;
  let saved: string | undefined;
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      releaseSignals();
      display.close();
      const progress = saved === undefined ? 'No step was saved yet' : `Everything up to ${saved} is saved`;
      printError(`stopped at once. ${progress}. Resume with: ${resumeCommand(directory)}`);
      process.kill(process.pid, signal);
      return;
    }
    isStopping = true;
    attendance.stop();
    display.say(
      'stopping: what is under way is dropped, and a resume does it again; saving (Ctrl-C again: stop at once)',
    );
  };
  const releaseSignals = (): void => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const releaseHangup = onHangup(() => {
    isStopping = true;
    attendance.stop();
  });
  const releaseReader = onLostReader(() => {
    exitCode = LOST_READER_CODE;
    attendance.stop();
  });
  return {
    saved: (checkpoint) => {
      saved = checkpoint;
    },
    exitCode: () => exitCode,
    release: () => {
      releaseSignals();
      releaseHangup();
      releaseReader();
    },
  };
}
