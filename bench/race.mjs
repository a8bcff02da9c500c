/**
 * Two sides that do the same work, turn by turn in one run: what slows the machine down for a while slows both.
 *
 * One side rests while the other works. That it does is measured: processor time that a resting side used.
 */
import { spread, table } from './command.mjs';
import { summarize } from './statistics.mjs';

/** Pause before a turn: threads of the other side that spin for more work have gone to sleep by then. */
const PAUSE_MS = 30;

/**
 * Lets the sides take turns, ours first.
 *
 * @param ours   (turn) => { seconds, … }; turns of the warm-up have negative numbers
 * @param theirs the same, with the `idle` of the peer's answer; undefined where there is no peer
 * @param beside (turn) a third thing to time in the same run, before each of our turns
 * @returns per side its turns, warm-up included, the seconds of those after it, and the cores that it kept busy while
 *   the other side worked; and the ratio of the two
 */
export async function race({ ours, theirs, beside, warmup, repeats }) {
  const sides = { ours: { turns: [] }, ...(theirs && { theirs: { turns: [] } }) };
  const rest = { ours: [], theirs: [] };
  for (let turn = -warmup; turn < repeats; turn++) {
    progress(turn, repeats);
    await pause();
    await beside?.(turn);
    const work = await metered(() => ours(turn));
    sides.ours.turns.push({ turn, ...work.value, cpuSeconds: work.cpuSeconds });
    if (theirs === undefined) continue;
    const watch = await metered(async () => {
      await pause();
      return theirs(turn);
    });
    const { idle, ...other } = watch.value;
    sides.theirs.turns.push({ turn, ...other });
    rest.ours.push(watch);
    rest.theirs.push(idle);
  }
  progress(undefined, repeats);
  for (const [name, side] of Object.entries(sides)) {
    side.seconds = summarize(timed(side).map(({ seconds }) => seconds));
    side.cpuSeconds = summarize(timed(side).map(({ cpuSeconds }) => cpuSeconds));
    if (theirs !== undefined) side.busyAtRest = total(rest[name], 'cpuSeconds') / total(rest[name], 'seconds');
  }
  return { ...sides, ...(theirs && { ratio: ratioOf(sides) }) };
}

/** What `work` gives, its seconds, and the processor time that all threads of this process used. */
async function metered(work) {
  const before = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { value, seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 };
}

/** The turns that count. */
export const timed = ({ turns }) => turns.filter(({ turn }) => turn >= 0);

const total = (values, key) => values.reduce((sum, value) => sum + value[key], 0);

export const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/** Which turn it is, on a terminal only. */
function progress(turn, repeats) {
  if (!process.stderr.isTTY) return;
  const text = turn === undefined ? '' : turn < 0 ? 'warming up' : `turn ${turn + 1} of ${repeats}`;
  process.stderr.write(`\r\x1b[K${text}`);
}

/** Their time in units of ours: of the medians, and the quartiles over turns taken one after the other. */
function ratioOf({ ours, theirs }) {
  const mine = timed(ours);
  const paired = summarize(timed(theirs).map(({ seconds }, i) => seconds / mine[i].seconds));
  return { ofMedians: theirs.seconds.median / ours.seconds.median, paired };
}

/** Median time of each activity of a side, in milliseconds. */
export function splitOf(side) {
  const turns = timed(side);
  const activities = Object.keys(turns[0].split ?? {});
  const medianMs = (activity) => 1000 * summarize(turns.map(({ split }) => split[activity] ?? 0)).median;
  return Object.fromEntries(activities.map((name) => [name, medianMs(name)]).filter(([, ms]) => ms > 0));
}

/** What the JSON file keeps of a race: spreads, splits, and the seconds of every turn. */
export function summaryOf({ ours, theirs, ratio }) {
  const side = (result) => ({
    seconds: result.seconds,
    cpuSeconds: result.cpuSeconds,
    splitMs: splitOf(result),
    busyAtRest: result.busyAtRest,
    turns: result.turns.map(({ turn, seconds }) => ({ turn, seconds })),
  });
  return { ratio, ours: side(ours), theirs: theirs && side(theirs) };
}

/**
 * The race as a table. Processor seconds are those of all threads, waiting ones included.
 *
 * @param names  of ours and theirs
 * @param work   count of what a turn does, and its unit: `{ count: 4096, unit: 'completion tokens/s' }`
 */
export function raceTable(result, names, work) {
  const rows = ['ours', 'theirs'].flatMap((side) => {
    if (result[side] === undefined) return [];
    const { seconds, cpuSeconds } = result[side];
    const split = Object.entries(splitOf(result[side])).map(([name, ms]) => `${name} ${ms.toFixed(0)}`);
    const rate = Math.round(work.count / seconds.median);
    return [[names[side], spread(seconds), cpuSeconds.median.toFixed(2), rate, split.join(', ')]];
  });
  const hasSplit = rows.some((cells) => cells.at(-1) !== '');
  return table(['', 'seconds (quartiles)', 'processor s', work.unit, hasSplit ? 'of it, ms' : ''], rows);
}

/** The verdict under the table, and how still the resting sides were. */
export function ratioLines({ ours, theirs, ratio }, names) {
  if (ratio === undefined) return [];
  const { ofMedians, paired } = ratio;
  const verdict =
    ofMedians >= 1 ? `is ${ofMedians.toFixed(2)}× as fast as` : `takes ${(1 / ofMedians).toFixed(2)}× as long as`;
  const core = (share) => `${(100 * share).toFixed(1)} % of a core`;
  return [
    `ours ${verdict} ${names.theirs} (medians; turn by turn ${spread(paired, 2)})`,
    `at rest: ours ${core(ours.busyAtRest)}, theirs ${core(theirs.busyAtRest)}`,
  ];
}
