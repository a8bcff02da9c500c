/** A run in its directory, with every log that its config asks for. */
import { type SessionEvent, type SessionOptions, session as sessionOf } from '../../src/run/session.ts';
import { eventLogOf } from '../trackers/event_log.ts';

/**
 * Starts or resumes a run; its directory is held against other processes until the session ends.
 * @throws CheckpointError when the directory does not allow it, `run-under-way` where another process trains in it
 */
export async function* session(options: SessionOptions): AsyncGenerator<SessionEvent> {
  const { run, store } = options;
  yield* sessionOf({ eventLog: await eventLogOf(run.config, store), ...options });
}
