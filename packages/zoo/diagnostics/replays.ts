/** Replays: whether the policy is still near the one that sampled them. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { meanOf } from '../../../src/diagnostics/lists.ts';
import { figure } from './words.ts';

/** Nats per token: the ratio of a typical token is then beyond 0.6 or 1.65, further than any clip lets it act. */
const FAR = 0.5;
/** Updates with replays: one may be of an odd problem. */
const UPDATES = 3;

const staleReplay: Diagnostic = {
  code: 'stale-replay',
  level: 'warning',
  after: 'update',
  reads: ['replayAge', 'replayMoved'],
  appliesTo: 'replays',
  look({ batches, updates }) {
    const newest = updates.flatMap(({ replayMoved }) => replayMoved ?? []).slice(-UPDATES);
    const moved = meanOf(newest, (value) => value);
    if (updates.at(-1)?.replayMoved === undefined || newest.length < UPDATES || moved < FAR) return undefined;
    const age = batches.findLast(({ replayAge }) => replayAge !== undefined)?.replayAge ?? 0;
    return {
      seen: `replayed completions are ${figure(age)} steps old on average, and since they were sampled the log-prob of their tokens has moved by ${figure(moved)} nats`,
      why: 'They are beyond their age: their ratios are clipped, or so small that nothing is learned from them',
      remedy: `Lower max_age, or max_staleness of replay-buffer, below ${Math.max(1, Math.round(age / 2))}, or lower learning_rate`,
    };
  },
};

export const REPLAY_DIAGNOSTICS: readonly Diagnostic[] = [staleReplay];
