/**
 * Any number of sides that do the same work in turn, each within its share of the time: a slow one takes fewer turns,
 * and one that breaks takes no more, while the others continue.
 */
import { pause } from './race.mjs';
import { summarize } from './statistics.mjs';

/**
 * Lets the sides take turns.
 *
 * @param sides        name → () => { seconds, … }
 * @param limitSeconds of all turns of a side: one that would take it further, at the pace of the last, is not begun;
 *   the first one always is
 * @returns name → `turns`, those of the warm-up with negative numbers, and `stopped`, why there are not all of them
 */
export async function takeTurns(sides, { warmup, repeats, limitSeconds }) {
  const all = Object.fromEntries(Object.keys(sides).map((name) => [name, { turns: [], stopped: undefined }]));
  for (let turn = -warmup; turn < repeats; turn++) {
    for (const [name, work] of Object.entries(sides)) {
      const side = all[name];
      if (side.stopped !== undefined) continue;
      const spent = side.turns.reduce((sum, { seconds }) => sum + seconds, 0);
      if (spent + (side.turns.at(-1)?.seconds ?? 0) > limitSeconds) {
        const taken = turn > 0 ? `${turn} of ${repeats} repeats` : 'no turn that was warm, so the last one counts';
        side.stopped = `its ${limitSeconds.toFixed(0)} s were over: ${taken}`;
        continue;
      }
      await pause();
      try {
        side.turns.push({ turn, ...(await work()) });
      } catch (error) {
        if (error.name !== 'PeerError') throw error;
        side.stopped = error.message;
      }
    }
  }
  return all;
}

/** The turns that count: those after the warm-up, or the last one of a side that came no further. */
export function counted({ turns }) {
  const warm = turns.filter(({ turn }) => turn >= 0);
  return warm.length > 0 ? warm : turns.slice(-1);
}

/**
 * Figures of all sides that took a turn.
 *
 * @param secondsOf the seconds of a turn that are compared
 * @param base      the side that the others are divided by
 * @returns name → median and quartiles, and for the others `ratio`: of the medians, and the quartiles over turns taken
 *   one after the other
 */
export function compare(taken, secondsOf, base) {
  const others = counted(taken[base]);
  const baseline = summarize(others.map(secondsOf));
  const figures = Object.entries(taken).flatMap(([name, side]) => {
    const turns = counted(side);
    if (turns.length === 0) return [];
    const seconds = summarize(turns.map(secondsOf));
    if (name === base) return [[name, seconds]];
    const pairs = turns.flatMap((mine) =>
      others.filter(({ turn }) => turn === mine.turn).map((other) => secondsOf(mine) / secondsOf(other)),
    );
    const paired = pairs.length > 0 ? summarize(pairs) : undefined;
    return [[name, { ...seconds, ratio: { ofMedians: seconds.median / baseline.median, paired } }]];
  });
  return Object.fromEntries(figures);
}
