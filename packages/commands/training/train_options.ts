/** What `train` is asked for by flags, beside what the core knows. */
import type { TrainOptions } from '../../../src/cli/training/train_options.ts';
import type { Sweep } from './sweep_list.ts';

/** Flags of a training with a fleet. */
export interface FleetFlags {
  /** Address of a NATS server. */
  readonly fleet?: string;
  /** Worker processes to start on this machine. */
  readonly workers?: number;
  readonly verifyShare?: number;
}

/** Whether a flag asks for a fleet. */
export function asksForFleet({ fleet, workers = 0 }: FleetFlags): boolean {
  return fleet !== undefined || workers > 0;
}

export interface WholeTrainOptions extends TrainOptions, FleetFlags {
  readonly trust?: readonly string[];
  readonly dryRun?: boolean;
  /** A page of the run is served while it is under way. */
  readonly ui?: boolean;
}

/** Options of a series of runs. */
export interface SeedsOptions extends WholeTrainOptions {
  /** Default: the one of the config. */
  readonly seeds?: readonly number[];
  readonly sweep?: readonly Sweep[];
}
