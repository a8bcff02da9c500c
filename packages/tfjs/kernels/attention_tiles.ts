/**
 * Attention's rows and keys as dense tiles, for kernel sets that only know whole tensors.
 *
 * Rows whose intervals meet, directly or through others, form a prefix group: a prompt and its completions. It is a dense
 * block of rows × keys under a mask, and the groups of a batch are padded to one size. A row lies in one tile, and a key
 * in at most one tile of a batch, so that going there and back is a permutation: no sums, no atomics.
 */
import { NO_ROW } from './take_rows.ts';

/** Tiles that are computed at once, each of `rows` × `keys`. */
export interface TileBatch {
  readonly tiles: number;
  readonly rows: number;
  readonly keys: number;
  /** [tiles·rows] the row of each place, counted from the call's first; NO_ROW pads */
  readonly rowAt: Int32Array;
  /** [tiles·keys] the kv row of each place; NO_ROW pads */
  readonly keyAt: Int32Array;
  /** [tiles, rows, keys] 0 where the row reads the key, else MASKED */
  readonly mask: Float32Array;
}

/** Added to the score of a key that a row does not read: e to it is 0, and no sum of it overflows. */
const MASKED = -1e30;

/** Mask elements of a batch, times heads, at most. */
const MOST_SCORES = 2 ** 23;

interface PrefixGroup {
  readonly rows: readonly number[];
  readonly keys: readonly number[];
}

/**
 * @param intervals [N, 2, 2] of the rows of the call
 * @param heads     query heads: a batch's scores are this many masks
 */
export function tileAttention(intervals: Int32Array, heads: number): readonly TileBatch[] {
  const most = MOST_SCORES / heads;
  const batches: TileBatch[] = [];
  let waiting: PrefixGroup[] = [];
  const areaOf = (prefixGroups: readonly PrefixGroup[]): number =>
    prefixGroups.length * longest(prefixGroups, 'rows') * longest(prefixGroups, 'keys');
  const flush = (): void => {
    if (waiting.length > 0) batches.push(batchOf(waiting, intervals));
    waiting = [];
  };
  for (const group of prefixGroupsOf(intervals)) {
    if (waiting.length > 0 && areaOf([...waiting, group]) > most) flush();
    const blockRows = Math.max(1, Math.floor(most / group.keys.length));
    if (group.rows.length <= blockRows) {
      waiting.push(group);
      continue;
    }
    // Its blocks share keys, so that each is a batch of its own.
    for (let from = 0; from < group.rows.length; from += blockRows) {
      batches.push(batchOf([{ ...group, rows: group.rows.slice(from, from + blockRows) }], intervals));
    }
  }
  flush();
  return batches;
}

function longest(prefixGroups: readonly PrefixGroup[], of: 'rows' | 'keys'): number {
  return prefixGroups.reduce((most, group) => Math.max(most, group[of].length), 0);
}

function batchOf(prefixGroups: readonly PrefixGroup[], intervals: Int32Array): TileBatch {
  const [rows, keys] = [longest(prefixGroups, 'rows'), longest(prefixGroups, 'keys')];
  const rowAt = new Int32Array(prefixGroups.length * rows).fill(NO_ROW);
  const keyAt = new Int32Array(prefixGroups.length * keys).fill(NO_ROW);
  const mask = new Float32Array(prefixGroups.length * rows * keys).fill(MASKED);
  prefixGroups.forEach((group, tile) => {
    rowAt.set(group.rows, tile * rows);
    keyAt.set(group.keys, tile * keys);
    const placeOf = new Map(group.keys.map((key, place) => [key, place]));
    group.rows.forEach((row, place) => {
      const line = mask.subarray((tile * rows + place) * keys, (tile * rows + place + 1) * keys);
      for (const [begin, end] of intervalsOf(intervals, row)) {
        const first = placeOf.get(begin) as number;
        line.fill(0, first, first + end - begin);
      }
    });
  });
  return { tiles: prefixGroups.length, rows, keys, rowAt, keyAt, mask };
}

/** The intervals of a row that hold a key. */
function intervalsOf(intervals: Int32Array, row: number): [number, number][] {
  const [a, b, c, d] = intervals.subarray(row * 4, row * 4 + 4) as unknown as [number, number, number, number];
  return (
    [
      [a, b],
      [c, d],
    ] satisfies [number, number][]
  ).filter(([begin, end]) => begin < end);
}

/** Rows in order, grouped by the keys that they share; a row without keys is in none. */
function prefixGroupsOf(intervals: Int32Array): PrefixGroup[] {
  const count = intervals.length / 4;
  const all = Array.from({ length: count }, (_, row) => intervalsOf(intervals, row));
  const ranges = mergeRanges(all.flat());
  const rangeOf = (key: number): number => lastAtMost(ranges, key);
  const parent = ranges.map((_, range) => range);
  const root = (range: number): number => {
    let top = range;
    while (parent[top] !== top) top = parent[top];
    parent[range] = top;
    return top;
  };
  for (const [first, second] of all) {
    if (first && second) parent[root(rangeOf(second[0]))] = root(rangeOf(first[0]));
  }
  const prefixGroups = new Map<number, { rows: number[]; keys: number[] }>();
  all.forEach(([first], row) => {
    if (first === undefined) return;
    const at = root(rangeOf(first[0]));
    const group = prefixGroups.get(at) ?? { rows: [], keys: [] };
    prefixGroups.set(at, group);
    group.rows.push(row);
  });
  ranges.forEach(([begin, end], range) => {
    const { keys } = prefixGroups.get(root(range)) as { keys: number[] }; // each range comes from some row
    for (let key = begin; key < end; key++) keys.push(key);
  });
  return [...prefixGroups.values()];
}

/** Disjoint ranges, ascending, that cover the same numbers. */
function mergeRanges(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [begin, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && begin < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([begin, end]);
  }
  return merged;
}

/** The last range that begins at `key` or before. */
function lastAtMost(ranges: readonly (readonly [number, number])[], key: number): number {
  let [low, high] = [0, ranges.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ranges[middle] as readonly [number, number])[0] <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}
