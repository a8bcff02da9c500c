/** Small charts of block characters over the steps of a stage; a long run costs no more than a short one. */

/** Values by step, gathered in buckets of `width` steps. */
export interface Curve {
  readonly width: number;
  /** From step 0; undefined where no value fell. */
  readonly buckets: readonly (Bucket | undefined)[];
}

interface Bucket {
  readonly sum: number;
  readonly count: number;
}

const MOST_BUCKETS = 128;
const BLOCKS = ' ▁▂▃▄▅▆▇█';
/** A line in the middle and at the top of a row; one at its bottom would look like a low block. */
const LINES = '─▔';

export const EMPTY_CURVE: Curve = { width: 1, buckets: [] };

/** The curve with one more value; buckets become wider where there would be too many. */
export function withPoint(curve: Curve, step: number, value: number): Curve {
  const index = Math.floor(step / curve.width);
  if (index >= MOST_BUCKETS) return withPoint(merged(curve), step, value);
  const buckets = Array.from({ length: Math.max(index + 1, curve.buckets.length) }, (_, i) => curve.buckets[i]);
  buckets[index] = sumOf(buckets[index], { sum: value, count: 1 });
  return { width: curve.width, buckets };
}

function merged({ width, buckets }: Curve): Curve {
  const pairs = Array.from({ length: Math.ceil(buckets.length / 2) }, (_, i) =>
    sumOf(buckets[2 * i], buckets[2 * i + 1]),
  );
  return { width: 2 * width, buckets: pairs };
}

function sumOf(a: Bucket | undefined, b: Bucket | undefined): Bucket | undefined {
  return a && b ? { sum: a.sum + b.sum, count: a.count + b.count } : (a ?? b);
}

/** An axis, from its low end to its high one. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** A curve as rows of blocks, and the range from the bottom of the lowest row to the top of the highest. */
export interface Chart extends Range {
  readonly rows: readonly string[];
  /** The second curve as a line over them, spaces where it does not run; undefined where there is none. */
  readonly line?: readonly string[];
}

export interface ChartSize {
  readonly columns: number;
  readonly rows: number;
  /** The last step. */
  readonly step: number;
}

/**
 * Steps 0 to `step` over all columns; undefined for a curve without values. The lowest value shows as the lowest
 * block. Gaps between two values become straight lines; before the first and after the last nothing is known.
 *
 * @param further.line   a second curve, on the same axis
 * @param further.range  what the axis spans at least
 */
export function draw(
  curve: Curve,
  { columns, rows, step }: ChartSize,
  further: { readonly line?: Curve; readonly range?: Range | undefined } = {},
): Chart | undefined {
  const values = interpolated(spread(curve, columns, step));
  const over = further.line && interpolated(spread(further.line, columns, step));
  const known = [...values, ...(over ?? [])].filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  const { range = { low: known[0], high: known[0] } } = further;
  const low = Math.min(...known, range.low);
  const high = Math.max(...known, range.high);
  /** 0 at the low end to `most` at the high one. */
  const heightOf = (value: number, most: number): number =>
    Math.round(high > low ? (most * (value - low)) / (high - low) : most / 2);
  const heights = values.map((value) => (value === undefined ? 0 : 1 + heightOf(value, 8 * rows - 1)));
  const lines = Array.from({ length: rows }, (_, row) => {
    const below = 8 * (rows - 1 - row);
    return heights.map((height) => BLOCKS[Math.min(8, Math.max(0, height - below))]).join('');
  });
  if (over === undefined) return { rows: lines, low, high };
  const places = over.map((value) => (value === undefined ? undefined : heightOf(value, LINES.length * rows - 1)));
  const line = lines.map((_, row) =>
    places.map((place) => LINES[(place ?? Number.NaN) - LINES.length * (rows - 1 - row)] ?? ' ').join(''),
  );
  return { rows: lines, line, low, high };
}

/** Mean of the buckets that fall on each column: the first one on the first, that of `step` on the last. */
function spread({ width, buckets }: Curve, columns: number, step: number): (number | undefined)[] {
  const last = Math.max(1, Math.floor(step / width));
  const gathered: (Bucket | undefined)[] = Array.from({ length: columns }, () => undefined);
  buckets.forEach((bucket, index) => {
    const column = Math.min(columns - 1, Math.round((index / last) * (columns - 1)));
    gathered[column] = sumOf(gathered[column], bucket);
  });
  return gathered.map((bucket) => bucket && bucket.sum / bucket.count);
}

function interpolated(values: readonly (number | undefined)[]): (number | undefined)[] {
  const filled = [...values];
  let before: number | undefined;
  values.forEach((value, column) => {
    if (value === undefined) return;
    if (before !== undefined) {
      const from = values[before] ?? value;
      for (let gap = before + 1; gap < column; gap++) {
        filled[gap] = from + ((value - from) * (gap - before)) / (column - before);
      }
    }
    before = column;
  });
  return filled;
}
