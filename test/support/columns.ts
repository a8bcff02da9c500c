/** Some columns of a wider slot, as the tests of products that read or write them name them. */

/** `count` columns from `first` of `rows` rows that are `total` wide. */
export interface Columns {
  readonly rows: number;
  readonly total: number;
  readonly first: number;
  readonly count: number;
}

/** The values of these columns alone, [rows, count]. */
export function takeColumns({ rows, total, first, count }: Columns, values: ArrayLike<number>): Float64Array {
  return Float64Array.from(
    { length: rows * count },
    (_, i) => values[Math.floor(i / count) * total + first + (i % count)],
  );
}

/** Whether element `index` of [rows, total] is outside of these columns, or of the rows [begin, end). */
export function isOutside({ total, first, count }: Columns, index: number, begin: number, end: number): boolean {
  const [row, column] = [Math.floor(index / total), index % total];
  return row < begin || row >= end || column < first || column >= first + count;
}
