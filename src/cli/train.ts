/** `rlvr-train --config FILE`: the main job. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadConfigFile } from '../config/load_file.node.ts';
import type { Override } from '../config/overrides.ts';
import type { RunConfig } from '../config/run_config.ts';
import { openRun } from '../grpo/run.ts';
import { type OpenedPlugins, openPlugins } from '../plugins/open_plugins.node.ts';
import { fileStore } from '../run/files.node.ts';
import type { Fingerprint } from '../run/fingerprint.ts';
import { fingerprintOf } from '../run/run_fingerprint.node.ts';
import { resumeCommand, session } from '../run/session.ts';
import { announceFile } from './announce_file.ts';
import { chooseBackend } from './backend.ts';
import { Reporter } from './reporter.ts';
import { withWayOn } from './way_on.ts';

export interface TrainOptions {
  readonly config: string;
  readonly output?: string;
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly set?: readonly string[];
  readonly seed?: number;
  readonly threads?: number;
  readonly backend?: string;
  readonly maxSteps?: number;
  readonly quiet?: boolean;
}

export async function trainCommand(options: TrainOptions): Promise<void> {
  const written = await loadConfigFile(options.config, overrides(options));
  const loaded = { ...written, config: capLastStage(written.config, options.maxSteps) };
  const { outputDir } = loaded.config;
  const directory = options.output ?? outputDir ?? defaultDirectory(options.config, options.resume ?? false);
  const plugins = await openPlugins(loaded, { file: options.config, directory, announce: announceFile });
  try {
    await trainIn(directory, plugins, options);
  } catch (error) {
    throw loaded.problems.placed(error);
  } finally {
    await plugins.close();
  }
}

async function trainIn(directory: string, plugins: OpenedPlugins, options: TrainOptions): Promise<void> {
  const { config, task, rewards, modules } = plugins;
  const backend = await chooseBackend(config.backend, config.threads);
  const run = await openRun(config, task, backend, { rewards });
  let interrupt: ReturnType<typeof listenForInterrupt> | undefined;
  try {
    const fingerprint = await fingerprintOf(run, modules);
    const print = options.quiet ? () => {} : (line: string) => void process.stdout.write(`${line}\n`);
    const reporter = new Reporter({ run, directory, print });
    reporter.opening(backendLine(fingerprint), backend.plannedBytes(run.policy.plan.memory));
    interrupt = listenForInterrupt(print);
    const resume = options.resume ?? false;
    const force = options.force ?? false;
    const store = fileStore(directory);
    const shouldStop = interrupt.requested;
    for await (const event of session({ run, store, fingerprint, directory, resume, force, shouldStop })) {
      reporter.handle(event);
      if (event.type === 'stopped') {
        print(`go on with: ${resumeCommand(directory)}`);
        process.exitCode = 130;
      }
      if (event.type === 'finished' && options.quiet) process.stdout.write(`${JSON.stringify(event.summary)}\n`);
    }
  } catch (error) {
    throw await withWayOn(error, fileStore(directory), directory);
  } finally {
    interrupt?.release();
    await run.policy.close();
  }
}

/** `wasm, 2 threads, fma relaxed-simd`. */
function backendLine({ backend, threads, backendFeatures }: Fingerprint): string {
  const features = Object.entries(backendFeatures).map(([name, value]) => `${name} ${value}`);
  return [backend, threads === 1 ? '1 thread' : `${threads} threads`, ...features].join(', ');
}

function overrides({ set = [], seed, threads, backend }: TrainOptions): Override[] {
  const flags = Object.entries({ seed, threads, backend });
  const given = flags.flatMap(([key, value]) =>
    value === undefined ? [] : [{ flag: `--${key}`, set: `${key}=${value}` }],
  );
  return [...set, ...given];
}

function capLastStage(config: RunConfig, maxSteps: number | undefined): RunConfig {
  if (maxSteps === undefined) return config;
  const last = config.stages.length - 1;
  const stages = config.stages.map((stage, i) => {
    if (i !== last) return stage;
    const capped = Math.min(stage.maxSteps, maxSteps);
    return { ...stage, maxSteps: capped, warmupSteps: Math.min(stage.warmupSteps, capped) };
  });
  return { ...config, stages };
}

/** runs/<config>, runs/<config>-2, …: the first free one for a new run, the newest for a resume. */
function defaultDirectory(configFile: string, resume: boolean): string {
  const name = basename(configFile).replace(/\.ya?ml$/, '');
  const place = (number: number): string => join('runs', number === 1 ? name : `${name}-${number}`);
  let next = 1;
  while (existsSync(place(next)) && readdirSync(place(next)).length > 0) next++;
  return place(resume ? Math.max(1, next - 1) : next);
}

/** The first Ctrl-C asks the run to stop at the next step; the second one is the system's. */
function listenForInterrupt(print: (line: string) => void): { requested: () => boolean; release: () => void } {
  let requested = false;
  const onSignal = (): void => {
    requested = true;
    release();
    print('\nfinishing this step, then saving (Ctrl-C again: stop at once)');
  };
  const release = (): void => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { requested: () => requested, release };
}
