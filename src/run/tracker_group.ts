/** Calls all trackers of a session and turns their notes into events. */
import type { ReporterEvent } from './reporter_event.ts';
import type { Summary } from './summary.ts';
import type { RunEnd, Tracker } from './tracker.ts';

interface Note {
  readonly type: 'note';
  readonly message: string;
}

export class TrackerGroup {
  readonly #trackers: readonly Tracker[];

  constructor(trackers: readonly Tracker[] = []) {
    this.#trackers = trackers;
  }

  tell(event: ReporterEvent | undefined): void {
    if (event !== undefined) for (const tracker of this.#trackers) tracker.tell(event);
  }

  *notes(): Generator<Note> {
    for (const tracker of this.#trackers) {
      for (const message of tracker.notes()) yield { type: 'note', message };
    }
  }

  /** Reports the end, waits for pending work, and yields the last notes. */
  async *close(last: { readonly end: RunEnd; readonly summary?: Summary }): AsyncGenerator<Note> {
    this.tell({ type: 'end', ...last });
    await Promise.all(this.#trackers.map((tracker) => tracker.close(last.end)));
    yield* this.notes();
  }
}
