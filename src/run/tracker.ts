/** A tracker follows a run from outside its directory. */
import type { ReporterEvent } from './reporter_event.ts';

/** How a session came to its end: a run that was stopped can be resumed. */
export type RunEnd = 'finished' | 'stopped' | 'failed';

/** It never stops or delays a run; it reports its own failures in notes. */
export interface Tracker {
  /** Returns at once, and throws nothing. */
  tell(event: ReporterEvent): void;
  /** New notes for the user, each once. */
  notes(): string[];
  /** The last call. Waits for pending work, some seconds at most; never rejects. */
  close(end: RunEnd): Promise<void>;
}
