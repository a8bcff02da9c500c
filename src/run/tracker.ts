/** Somebody outside of the run directory who follows a run. */
import type { ReporterEvent } from './reporter_event.ts';

/** How a session came to its end: a run that was stopped can be resumed. */
export type RunEnd = 'finished' | 'stopped' | 'failed';

/** It never stops a run, nor keeps one waiting: what goes wrong in it, it says in a note. */
export interface Tracker {
  /** Returns at once, and throws nothing. */
  tell(event: ReporterEvent): void;
  /** What there is to say to the user, each thing once. */
  notes(): string[];
  /** The last call that it gets. Waits for what is under way, some seconds at most; rejects never. */
  close(end: RunEnd): Promise<void>;
}
