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

/** A curve as rows of blocks, and the range from the bottom of the lowest row to the top of the highest. */
export interface Chart {
  readonly rows: readonly string[];
  readonly low: number;
  readonly high: number;
}

/**
 * Steps 0 to `step` over all columns; undefined for a curve without values. The lowest value shows as the lowest
 * block. Gaps between two values become straight lines; before the first and after the last nothing is known.
 */
export function draw(
  curve: Curve,
  size: { readonly columns: number; readonly rows: number; readonly step: number },
): Chart | undefined {
  const { columns, rows } = size;
  const values = interpolated(spread(curve, columns, size.step));
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  const low = Math.min(...known);
  const high = Math.max(...known);
  const steps = 8 * rows - 1;
  const heights = values.map((value) =>
    value === undefined ? 0 : 1 + Math.round(high > low ? (steps * (value - low)) / (high - low) : steps / 2),
  );
  const lines = Array.from({ length: rows }, (_, line) => {
    const below = 8 * (rows - 1 - line);
    return heights.map((height) => BLOCKS[Math.min(8, Math.max(0, height - below))]).join('');
  });
  return { rows: lines, low, high };
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
