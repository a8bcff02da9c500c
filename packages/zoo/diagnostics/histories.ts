/** What the history of a stage shows. */
import { FEWEST_COMPLETIONS, type History, newestAverage } from '../../../src/diagnostics/history.ts';
import type { BatchRecord } from '../../../src/diagnostics/records.ts';

/** Share of the reward above the lowest that the newest average has lost since the best one; 0 where it is the best. */
export function lostSince(history: History): number {
  const { bestAverage: best, lowestReward } = history;
  const now = newestAverage(history);
  if (now === undefined || best === null || lowestReward === null || best.reward <= lowestReward) return 0;
  return (best.reward - now.reward) / (best.reward - lowestReward);
}

/** Whether a streak is too long to be chance: three batches, or 256 completions, are; a policy that is right once in
 *  50 times gets one or more of 256 right in all but one of 170 batches. */
export function isSignificantStreak(batches: readonly BatchRecord[]): boolean {
  return batches.length >= 3 || batches.reduce((sum, { completions }) => sum + completions, 0) >= FEWEST_COMPLETIONS;
}
