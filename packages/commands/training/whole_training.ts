/** A training with all that the package has: keys and a live region, its page, its fleet, and trackers. */
import type { Display, Shown } from '../../../src/cli/display/display.ts';
import { trainCommand } from '../../../src/cli/training/train.ts';
import type { Attendance } from '../../../src/cli/training/training_parts.ts';
import { adviseMemory } from '../../estimate/advise_memory.ts';
import { wantedTrackers } from '../../trackers/sent_tracker.ts';
import { openDisplay } from '../display/open_display.ts';
import { RunControls } from '../process/controls.ts';
import { RequestListener } from '../process/run_requests.ts';
import { placeOf, ServedTraining } from '../process/served_training.ts';
import { approval } from '../process/trust.ts';
import { asksForFleet, type WholeTrainOptions } from './train_options.ts';

/** What answers other programs while a run is trained. */
export interface Served {
  /** Said once the run is shown. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

export interface Beside {
  /** The page of a series, which shows each run once its directory exists, and outlasts it. */
  readonly page?: ServedTraining;
  /** Begins to answer other programs, before the run does anything. @throws RlvrError */
  readonly serve?: (shown: Shown) => Promise<Served>;
}

export function trainWhole(options: WholeTrainOptions, { page, serve }: Beside = {}): Promise<void> {
  const { trust, dryRun: isDry = false, json = false } = options;
  return trainCommand(options, {
    findRun: async () => (await import('../runs/newest_run.ts')).findNewest(),
    approval: (asked) => approval({ ...asked, trust, isDry }),
    look: isDry ? async (opened) => (await import('./dry_run.ts')).dryRun(opened, { json }) : undefined,
    adviseMemory,
    attend: () => new Attended(options, page, serve),
    connectFleet: asksForFleet(options)
      ? async () => (await import('./training_fleet.ts')).connectFleet(options)
      : undefined,
    reportTo: async (config, tracked) => {
      const { eventLogOf } = await import('../../trackers/event_log.ts');
      const trackers =
        wantedTrackers(config, process.env).length === 0
          ? []
          : (await import('../../trackers/trackers.ts')).liveTrackers(config, tracked, process.env);
      return { trackers, eventLog: await eventLogOf(config, tracked.store) };
    },
  });
}

/** Keys, requests of other processes, and the page of the run. */
class Attended implements Attendance {
  readonly #options: WholeTrainOptions;
  readonly #controls = new RunControls();
  /** That of a series. */
  readonly #shared: ServedTraining | undefined;
  #own: ServedTraining | undefined;
  #requests: RequestListener | undefined;

  readonly #serve: Beside['serve'];
  #served: Served | undefined;

  constructor(options: WholeTrainOptions, shared: ServedTraining | undefined, serve: Beside['serve']) {
    this.#options = options;
    this.#shared = shared;
    this.#serve = serve;
  }

  get clock(): Attendance['clock'] {
    return this.#controls.clock;
  }

  get signal(): AbortSignal {
    return this.#controls.signal;
  }

  get wantsEvaluation(): Attendance['wantsEvaluation'] {
    return this.#controls.wantsEvaluation;
  }

  stop(): void {
    this.#controls.stop();
  }

  async openDisplay(shown: Shown): Promise<Display> {
    this.#served = await this.#serve?.(shown);
    const display = await openDisplay(shown, this.#controls, this.#options);
    for (const line of this.#served?.lines ?? []) display.say(line);
    return display;
  }

  begun(directory: string, say: (line: string) => void): void {
    this.#requests = new RequestListener(directory, this.#controls);
    if (this.#shared === undefined && this.#options.ui) this.#own = new ServedTraining(placeOf(directory));
    (this.#shared ?? this.#own)?.offer(directory, say);
  }

  async close(): Promise<void> {
    this.#own?.close();
    await this.#served?.close();
    await this.#requests?.close();
  }
}
