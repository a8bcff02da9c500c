/** The parts of a training outside the frame, all optional. */
import type { RunConfig } from '../../config/run_config.ts';
import type { MakeGenerator } from '../../grpo/generator.ts';
import type { ConfiguredModel, Progress, TrainingRun } from '../../grpo/run.ts';
import type { AdviseMemory } from '../../planning/require_memory.ts';
import type { OpenedBase } from '../../run/base.ts';
import type { Fingerprint } from '../../run/fingerprint/fingerprint.ts';
import type { OpenOptions } from '../../run/opened_config.ts';
import type { SessionOptions } from '../../run/session.ts';
import type { Store } from '../../run/store/store.ts';
import type { Display, Shown } from '../display/display.ts';
import type { FindRun, LoadedRun } from '../runs/load_run.ts';

export interface TrainingParts {
  /** Finds the run to resume if neither a config nor a directory is named; absent: the last of the main job. */
  readonly findRun?: FindRun;
  /** Whether the files that a config names may run, for `OpenOptions.approve`; absent: they may. */
  readonly approval?: (asked: Asked) => OpenOptions['approve'];
  /** Shows the run instead of training it. */
  readonly look?: (opened: OpenedRun) => Promise<void>;
  /** Watches and controls the run; absent: it is shown in lines, and runs to its end. */
  readonly attend?: () => Attendance;
  /** For `openRun`. */
  readonly adviseMemory?: AdviseMemory;
  /** Connects a training to its workers; absent: every completion is sampled here. @throws FleetError */
  readonly connectFleet?: () => Promise<TrainingFleet>;
  /** Opens the trackers of `report_to`; absent: a config may name none. @throws ConfigError */
  readonly reportTo?: (config: RunConfig, run: TrackedRun) => Promise<Reporting>;
}

/** Inputs of the decision whether a config's files may run. */
export interface Asked extends Pick<LoadedRun, 'problems'> {
  /** The config's file. */
  readonly file: string;
  /** A run that is resumed. */
  readonly run: { readonly directory: string; readonly goal: 'resume'; readonly force?: boolean } | undefined;
}

/** A run that was opened to be looked at. */
export interface OpenedRun extends LoadedRun {
  readonly run: TrainingRun;
  readonly fingerprint: Fingerprint;
  readonly plannedBytes: ReadonlyMap<string, number>;
}

/** Where a run is shown in addition to its own logs. */
export type Reporting = Required<Pick<SessionOptions, 'trackers'>> & Pick<SessionOptions, 'eventLog'>;

/** A run as trackers show it. */
export interface TrackedRun {
  readonly store: Store;
  readonly name: string;
  readonly directory: string;
}

/** Watches and controls a run. */
export interface Attendance {
  /** Milliseconds of a monotonic clock that stops while the run is paused. For `openRun`. */
  readonly clock?: () => number;
  /** For `session`: aborted, it ends the run as soon as it can be saved. */
  readonly signal: AbortSignal;
  /** For `session`: waits while the run is paused; true if an evaluation was requested. */
  readonly wantsEvaluation?: () => Promise<boolean>;
  stop(): void;
  openDisplay(shown: Shown): Promise<Display>;
  /** The run's directory is there, and held by this process. @param say  shows a line */
  begun(directory: string, say: (line: string) => void): void;
  /** The run is over. */
  close(): Promise<void>;
}

/** A training's view of its fleet, whose processes sample completions. */
export interface TrainingFleet {
  /** For `openRun`. */
  readonly makeGenerator: MakeGenerator;
  /** Its results, for the user. */
  readonly lines: readonly string[];
  /**
   * Announces the run to workers, unless it went back. @param say shows what happens @throws FleetError if another
   * learner has the fleet
   */
  open(
    run: ConfiguredModel,
    from: { readonly directory: string; readonly pretrained: OpenedBase | undefined },
    say: (line: string) => void,
  ): Promise<void>;
  /** Records its work up to an optimizer step, for the run's page. */
  record(step: { readonly stage: string; readonly step: number }): Promise<void>;
  /**
   * Takes the run back if it used a worker's wrong results. @returns what happens next; undefined if it does not go
   * back
   */
  goBack(run: Progress, store: Store): Promise<string | undefined>;
  close(): Promise<void>;
}
