/** `rlvr-train --config FILE`: the main job. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadConfigFile } from '../config/load_file.node.ts';
import type { RunConfig } from '../config/run_config.ts';
import { createTask } from '../data/create_task.ts';
import { openRun } from '../grpo/run.ts';
import { fileStore } from '../run/files.node.ts';
import type { Fingerprint } from '../run/fingerprint.ts';
import { fingerprintOf } from '../run/run_fingerprint.node.ts';
import { session } from '../run/session.ts';
import { chooseBackend } from './backend.ts';
import { Reporter } from './reporter.ts';

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
  const { config: loaded } = await loadConfigFile(options.config, overrides(options));
  const config = capLastStage(loaded, options.maxSteps);
  const directory = options.output ?? config.outputDir ?? defaultDirectory(options.config, options.resume ?? false);
  const task = createTask(config.task);
  const print = options.quiet ? () => {} : (line: string) => void process.stdout.write(`${line}\n`);
  const backend = await chooseBackend(config.backend, config.threads, print);
  const run = await openRun(config, task, backend);
  try {
    const fingerprint = await fingerprintOf(run);
    const reporter = new Reporter({ run, directory, print });
    reporter.opening(backendLine(fingerprint), backend.plannedBytes(run.policy.plan.memory));
    const interrupt = listenForInterrupt(print);
    const resume = options.resume ?? false;
    const force = options.force ?? false;
    const store = fileStore(directory);
    for await (const event of session({ run, store, fingerprint, resume, force, shouldStop: interrupt.requested })) {
      reporter.handle(event);
      if (event.type === 'stopped') {
        print(`go on with: npx rlvr-train --config ${options.config} --output ${directory} --resume`);
        process.exitCode = 130;
      }
      if (event.type === 'finished' && options.quiet) process.stdout.write(`${JSON.stringify(event.summary)}\n`);
    }
    interrupt.release();
  } finally {
    await run.policy.close();
  }
}

/** `wasm, 2 threads, fma relaxed-simd`. */
function backendLine({ backend, threads, backendFeatures }: Fingerprint): string {
  const features = Object.entries(backendFeatures).map(([name, value]) => `${name} ${value}`);
  return [backend, threads === 1 ? '1 thread' : `${threads} threads`, ...features].join(', ');
}

function overrides({ set = [], seed, threads, backend }: TrainOptions): string[] {
  const flags = { seed, threads, backend };
  return [...set, ...Object.entries(flags).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]))];
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
