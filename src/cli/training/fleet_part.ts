/** What a fleet adds to a training: completions that other processes sample. */
import type { MakeGenerator } from '../../grpo/generator.ts';
import type { ConfiguredModel, Progress } from '../../grpo/run.ts';
import type { OpenedBase } from '../../run/base.ts';
import type { Store } from '../../run/store/store.ts';

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

/** What a training has of its fleet. */
export interface TrainingFleet {
  /** For `openRun`. */
  readonly makeGenerator: MakeGenerator;
  /** What it has come to, for the user. */
  readonly lines: readonly string[];
  /** Tells workers of the run; where it goes back, they know it already. @param say  shows what happens @throws FleetError where another learner has it */
  open(
    run: ConfiguredModel,
    from: { readonly directory: string; readonly pretrained: OpenedBase | undefined },
    say: (line: string) => void,
  ): Promise<void>;
  /** What it has done by an optimizer step, for the run's page. */
  record(step: { readonly stage: string; readonly step: number }): Promise<void>;
  /** Takes the run back where it rests on a lie. @returns what becomes of it; undefined where it does not */
  goBack(run: Progress, store: Store): Promise<string | undefined>;
  close(): Promise<void>;
}
