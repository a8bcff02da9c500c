/** What a training is asked for by flags. */
import type { DisplayOptions } from '../display/open_display.ts';
import type { ServedTraining } from '../process/served_training.ts';
import type { FleetFlags } from './fleet_part.ts';
import type { Sweep } from './sweep_list.ts';

export interface RunFlags {
  readonly config?: string;
  readonly output?: string;
  readonly resume?: boolean;
  readonly set?: readonly string[];
  readonly seed?: number;
  readonly threads?: number;
  readonly backend?: string;
  readonly maxSteps?: number;
}

export interface TrainOptions extends RunFlags, DisplayOptions, FleetFlags {
  readonly force?: boolean;
  readonly trust?: readonly string[];
  readonly dryRun?: boolean;
  /** A page of the run is served while it is under way. */
  readonly ui?: boolean;
  /** Shared page of a series; it is notified of each run once its directory exists. */
  readonly page?: ServedTraining;
}

/** Options of a series of runs. */
export interface SeedsOptions extends TrainOptions {
  /** Default: the one of the config. */
  readonly seeds?: readonly number[];
  readonly sweep?: readonly Sweep[];
}
