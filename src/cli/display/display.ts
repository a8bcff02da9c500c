/** What a run is shown on, as far as a run has to do with it. */
import type { TrainingRun } from '../../grpo/run.ts';
import type { Fingerprint } from '../../run/fingerprint/fingerprint.ts';
import type { SessionEvent } from '../../run/session.ts';

export interface Display {
  /** What will run, on what, in how much memory. */
  opening(fingerprint: Fingerprint, plannedBytes: ReadonlyMap<string, number>): void;
  /** The run waits for what this promises. */
  handle(event: SessionEvent): void | Promise<void>;
  /** A sentence besides the events. */
  say(message: string): void;
  /** Gives the terminal back. Whatever comes afterwards is printed as usual. */
  close(): void;
}

/** What a display shows. */
export interface Shown {
  readonly run: TrainingRun;
  readonly directory: string;
}
