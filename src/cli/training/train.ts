/** `rlvr-train --config FILE`: the main job. */

import { basename, resolve } from 'node:path';
import { ConfigError } from '../../errors.ts';
import { closeEngine } from '../../grpo/engine.ts';
import { fewHeldOut } from '../../methods/statistics.ts';
import { plannedMemory } from '../../planning/memory_plan.ts';
import type { OpenedBase } from '../../run/base.ts';
import { fingerprintOf } from '../../run/fingerprint/run_fingerprint.node.ts';
import { answerFiles } from '../../run/logs/answer_files.ts';
import { openRun } from '../../run/open_run.ts';
import type { OpenedConfig } from '../../run/opened_config.ts';
import { resumeCommand } from '../../run/resume_command.ts';
import { session } from '../../run/session.ts';
import { fileStore, requireWritable } from '../../run/store/files.node.ts';
import { announceFile } from '../display/announce_file.ts';
import type { Display } from '../display/display.ts';
import { openDisplay } from '../display/open_display.ts';
import { printError } from '../display/output.ts';
import { commandParts, withBase } from '../parts.ts';
import { chooseBackend, threadsNote } from '../process/backend.ts';
import { RunControls } from '../process/controls.ts';
import { onHangup } from '../process/hangup.ts';
import { LOST_READER_CODE, onLostReader } from '../process/lost_reader.ts';
import { prepareKernels } from '../process/prepare_kernels.ts';
import { RequestListener } from '../process/run_requests.ts';
import { placeOf, ServedTraining } from '../process/served_training.ts';
import { approval } from '../process/trust.ts';
import { type LoadedRun, loadRun } from '../runs/load_run.ts';
import { describeRow } from '../runs/newest_run.ts';
import { withResumeAdvice } from '../runs/resume_advice.ts';
import { dryRun } from './dry_run.ts';
import { asksForFleet, type FleetFlags, type TrainingFleet } from './fleet_part.ts';
import type { TrainOptions } from './train_options.ts';

/** What outlasts a run that goes back: its fleet, which knows who has lied. */
interface Held {
  fleet?: TrainingFleet | undefined;
  /** Said once the run is resumed. */
  notes: string[];
}

export async function trainCommand(options: TrainOptions): Promise<void> {
  const held: Held = { notes: [] };
  try {
    let output = await trainOnce(options, held);
    while (output !== undefined) output = await trainOnce({ ...options, resume: true, output }, held);
  } finally {
    await held.fleet?.close();
  }
}

/** @returns the directory of a run that went back, and is to be resumed */
async function trainOnce(options: TrainOptions, held: Held): Promise<string | undefined> {
  const given = await loadRun(options);
  const { file, directory, problems } = given;
  const { trust, force, dryRun: isDry } = options;
  await requireWritable(directory, isDry);
  const run = options.resume ? { directory, goal: 'resume' as const, force } : undefined;
  const approve = approval({ file, problems, trust, run, isDry });
  const { loaded, base } = await withBase(given, file, options.resume ? directory : undefined);
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
    const wentBack = await trainWith({ ...loaded, config: plugins.config }, plugins, base, { options, held });
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
  pretrained: OpenedBase | undefined,
  { options, held }: { readonly options: TrainOptions; readonly held: Held },
): Promise<boolean> {
  const { config, directory, lineOf, maxSteps } = loaded;
  const { tasks, rewards, registries, modules } = plugins;
  const notes = [...held.notes.splice(0), ...(pretrained?.notes ?? []), ...plugins.notes];
  const backend = await chooseBackend(config, (why) => notes.push(`backend: wasm, since ${why}`));
  const tooMany = threadsNote(config.threads);
  if (tooMany !== undefined && backend.name === 'wasm') notes.push(tooMany);
  if (loaded.notes.length > 0) notes.push(idleKeys(loaded));
  const { liveTrackers = async () => [] } = commandParts();
  const controls = new RunControls();
  const { clock } = controls;
  held.fleet ??= await connectFleet(options);
  const { fleet } = held;
  const { makeGenerator } = fleet ?? {};
  const run = await openRun(config, tasks, backend, { registries, rewards, lineOf, pretrained, clock, makeGenerator });
  const goesBack = async (): Promise<boolean> => {
    const said = await fleet?.goBack(run, fileStore(directory));
    if (said !== undefined) held.notes.push(said);
    return said !== undefined;
  };
  try {
    const few = fewHeldOut(run.engine.tasks.heldOutItems().length);
    if (few !== undefined) notes.push(`evaluation: ${few}`);
    const fingerprint = await fingerprintOf(run, modules);
    const plans = Object.values(run.engine.models).map(({ policy }) => policy.plan);
    const plannedBytes = plannedMemory(backend, plans, fingerprint.threads);
    if (options.dryRun) {
      await dryRun({ ...loaded, run, fingerprint, plannedBytes }, { json: options.json ?? false });
      return false;
    }
    const display = await openDisplay({ run, directory }, controls, options);
    const interrupts = listenForInterrupt(controls, display, directory);
    let requestsOfOthers: RequestListener | undefined;
    let page: ServedTraining | undefined;
    try {
      if (loaded.isMainJob) display.say(mainJobLine(loaded));
      if (loaded.found !== undefined) display.say(`resuming the newest unfinished run: ${describeRow(loaded.found)}`);
      display.opening(fingerprint, plannedBytes);
      for (const note of notes) display.say(note);
      await prepareKernels(run.engine.policy.engine, (line) => display.say(line));
      await fleet?.open(run, { directory, pretrained }, (line) => display.say(line));
      const { signal, wantsEvaluation } = controls;
      const { resume = false, force = false } = options;
      const store = fileStore(directory);
      const shown = { store, name: basename(resolve(directory)), directory };
      const trackers = [...(await liveTrackers(config, shown, process.env)), ...plugins.reporters];
      for await (const event of session({
        run,
        store,
        fingerprint,
        directory,
        resume,
        force,
        maxSteps,
        trackers,
        signal,
        wantsEvaluation,
      })) {
        if (requestsOfOthers === undefined) {
          // Now the directory is there, and held.
          requestsOfOthers = new RequestListener(directory, controls);
          page = options.page ?? (options.ui ? new ServedTraining(placeOf(directory)) : undefined);
          page?.offer(directory, (line) => display.say(line));
        }
        if (event.type === 'step') await fleet?.record(event);
        await display.handle(event);
        if (event.type === 'stopped') process.exitCode = interrupts.exitCode();
        if (event.type === 'checkpoint') interrupts.saved(event.name);
        if (event.type === 'resumed') interrupts.saved(event.checkpoint);
      }
      if ((await goesBack()) && !controls.signal.aborted) return true;
      for (const line of [...held.notes, ...(fleet?.lines ?? [])]) display.say(line);
      return false;
    } finally {
      if (options.page === undefined) page?.close();
      await requestsOfOthers?.close();
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

/** @throws ConfigError where a flag asks for a fleet, and the command has none */
async function connectFleet(flags: FleetFlags): Promise<TrainingFleet | undefined> {
  if (!asksForFleet(flags)) return undefined;
  const { connectFleet: connect } = commandParts();
  if (connect === undefined) throw new ConfigError('flags', '--fleet — this command samples alone; leave it out.', {});
  return connect(flags);
}

function mainJobLine({ file, directory }: LoadedRun): string {
  return `no --config: training the main job, ${file}, into ${directory}`;
}

const MOST_NAMED = 6;

/** What TRL takes and this trainer has no use for, in a line. */
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
function listenForInterrupt(controls: RunControls, display: Display, directory: string): Interrupts {
  let exitCode = 130;
  let saved: string | undefined;
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      releaseSignals();
      display.close();
      const what = saved === undefined ? 'No step was saved yet' : `Everything up to ${saved} is saved`;
      printError(`stopped at once. ${what}. Resume with: ${resumeCommand(directory)}`);
      process.kill(process.pid, signal);
      return;
    }
    isStopping = true;
    controls.stop();
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
    controls.stop();
  });
  const releaseReader = onLostReader(() => {
    exitCode = LOST_READER_CODE;
    controls.stop();
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
