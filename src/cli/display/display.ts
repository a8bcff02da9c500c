/** A display, as a run sees it. */
import type { TrainingRun } from '../../grpo/run.ts';
import type { Fingerprint } from '../../run/fingerprint/fingerprint.ts';
import type { SessionEvent } from '../../run/session.ts';

export interface Display {
  /** Shows what will run, on what, in how much memory. */
  opening(fingerprint: Fingerprint, plannedBytes: ReadonlyMap<string, number>): void;
  /** The run waits for the returned promise. */
  handle(event: SessionEvent): void | Promise<void>;
  /** Shows a sentence in addition to the events. */
  say(message: string): void;
  /** Gives the terminal back. Whatever comes afterwards is printed as usual. */
  close(): void;
}

/** What a display shows. */
export interface Shown {
  readonly run: TrainingRun;
  readonly directory: string;
}
