/** `--seeds 0..9 --fleet URL`: the runs of a series are given out whole, and their directories come back. */
import { resolve } from 'node:path';
import { chooseBackend } from '../../../src/cli/process/backend.ts';
import { resolvedYaml } from '../../../src/config/dump.ts';
import type { RunConfig } from '../../../src/config/run_config.ts';
import { packageVersion } from '../../../src/run/fingerprint/fingerprint.node.ts';
import { sha256Hex } from '../../../src/run/fingerprint/sha256.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { encodeJson } from '../../fleet/cards.ts';
import { randomHex } from '../../fleet/random_hex.ts';
import { Series, type SeriesRun } from '../../fleet/series/series.ts';
import { machineClass, seriesCard } from '../../fleet/series/series_card.ts';
import { Workers } from '../../fleet/workers.ts';
import { openFleetPlace } from './fleet_place.ts';
import type { FleetFlags } from './train_options.ts';

/** Milliseconds between two cards, and between two looks. */
const ANNOUNCE_MS = 500;
/** Milliseconds after which the user is asked for workers. */
const ALONE_MS = 10_000;
/** Milliseconds for workers to save their runs and to give them back, once the series was stopped. */
const LEAVE_MS = 30_000;
/** A series is no task of the stream: its lease is nobody's. */
const LEASE_MS = 60_000;
const RUN_DIGITS = 16;
const SESSION_BYTES = 8;

/** A run of the series that is still to be trained. */
export interface RunToGive {
  /** For people: `seed 3`. */
  readonly name: string;
  readonly directory: string;
  /** Its config, resolved, with the run's seed. */
  readonly config: RunConfig;
}

/**
 * Gives runs out until all of them are finished, or the series is stopped by Ctrl-C.
 *
 * @param say  shows what happens
 * @throws FleetError where the server cannot be used, or a run fails wherever it is trained
 */
export async function giveOutRuns(
  runs: readonly RunToGive[],
  flags: FleetFlags,
  say: (line: string) => void,
): Promise<void> {
  const [{ config }] = runs;
  const machine = await machineClass(await chooseBackend(config), thisPlatform());
  const workers = new Workers(() => performance.now(), say);
  const nameOf = (worker: string): string => workers.nameOf(worker);
  const series = new Series(runs.map(seriesRun), { say, nameOf });
  const release = onInterrupt(() => {
    say('stopping: workers save their runs and give them back (Ctrl-C again: stop at once)');
    series.stop();
  });
  const place = await openFleetPlace(flags);
  try {
    const run = await seriesName(runs);
    await place.bus.open(run, LEASE_MS, {
      presence: (bytes) => workers.hearPresence(bytes),
      result: () => encodeJson({ status: 'over' }),
      series: (bytes) => series.hear(bytes),
      restart: () => undefined,
    });
    const card = seriesCard(machine, { run, session: randomHex(SESSION_BYTES), version: packageVersion() });
    await untilDone(series, release, {
      announce: () => place.bus.announce(encodeJson(card)),
      present: () => workers.present,
      say,
    });
  } finally {
    release.off();
    await series.close();
    await place.close();
  }
}

interface Surroundings {
  readonly announce: () => void;
  /** Workers that are there. */
  readonly present: () => number;
  readonly say: (line: string) => void;
}

async function untilDone(
  series: Series,
  interrupt: Interrupt,
  { announce, present, say }: Surroundings,
): Promise<void> {
  const openedAt = performance.now();
  let isAsked = false;
  while (!series.isDone) {
    announce();
    await series.look(present());
    await new Promise((done) => setTimeout(done, ANNOUNCE_MS));
    if (!isAsked && present() === 0 && performance.now() - openedAt > ALONE_MS) {
      isAsked = true;
      say(
        'fleet: no worker is there; start one as fleet init printed it, or add --workers 1 to train on this machine too',
      );
    }
    const { at } = interrupt;
    if (at !== undefined && (series.underWay === 0 || performance.now() - at > LEAVE_MS)) return;
  }
}

function seriesRun({ name, directory, config }: RunToGive): SeriesRun {
  // Trackers ask for keys, which stay here.
  return { name, config: resolvedYaml({ ...config, reportTo: [] }), store: fileStore(directory) };
}

/** The same for the same series, so that two learners of it meet. */
async function seriesName(runs: readonly RunToGive[]): Promise<string> {
  const text = runs.map(({ directory, config }) => [resolve(directory), config.seed].join('\n')).join('\n');
  return (await sha256Hex(new TextEncoder().encode(text))).slice(0, RUN_DIGITS);
}

/** System and processor: a run is resumed on the same alone. */
export function thisPlatform(): string {
  return `${process.platform} ${process.arch}`;
}

interface Interrupt {
  /** When it was asked for. */
  readonly at: number | undefined;
  off(): void;
}

/** The first Ctrl-C or kill; the second is the system's. */
function onInterrupt(stop: () => void): Interrupt {
  let at: number | undefined;
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const off = (): void => {
    for (const signal of signals) process.off(signal, react);
  };
  const react = (): void => {
    at = performance.now();
    process.exitCode = 130;
    off();
    stop();
  };
  for (const signal of signals) process.on(signal, react);
  return {
    get at() {
      return at;
    },
    off,
  };
}
