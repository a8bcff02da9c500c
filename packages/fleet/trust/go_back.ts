/** A run that rests on answers of a liar goes back to where none of them had come in, and does the rest again without it. */
import { type Progress, totalSteps } from '../../../src/grpo/run.ts';
import { checkpointPlaces, keepCheckpoints } from '../../../src/run/checkpoint/checkpoints.ts';
import type { Store } from '../../../src/run/store/store.ts';

/** Seconds of work that a run may lose to a liar: where more would be lost, it resumes as it is, and says what it rests on. */
const MOST_LOST_SECONDS = 3600;

/**
 * Removes what rests on a lie; the run is closed, and is resumed after it.
 *
 * @param version  of the oldest weights by which a false answer may have been sampled
 * @returns what becomes of the run, for the user
 */
export async function goBackBefore(version: number, { config, journal }: Progress, store: Store): Promise<string> {
  const places = await checkpointPlaces(store);
  const clean = places.filter(
    (place) => totalSteps({ config, journal: { ...journal, state: { ...journal.state, ...place } } }) < version,
  );
  const seconds = Object.values(journal.state.seconds).reduce((sum, own) => sum + own, 0);
  const isTooLong = clean.length === 0 && seconds > MOST_LOST_SECONDS;
  const kept = (isTooLong ? places.slice(-1) : clean).map(({ name }) => name);
  await keepCheckpoints(store, kept);
  await store.remove('summary.json');
  const [newest] = kept;
  if (newest === undefined) return 'fleet: the run starts over, without it';
  if (!isTooLong) return `fleet: the run goes back to checkpoint ${newest}, and on without it`;
  const rule =
    'answers of it that nobody has checked are in that, so that its bits may be others than those of one machine';
  return `fleet: the run goes back to checkpoint ${newest}, the oldest that it has; ${rule}`;
}
