/** Rows in buckets, so that each sum over the rows of one bucket has one owner: those of an embedding, or of a copied key. */

export interface Buckets {
  /** Rows by their bucket, ties in order. */
  readonly sortedRows: Int32Array;
  /** The distinct buckets, ascending. */
  readonly bucketTokens: Int32Array;
  /** [buckets + 1] where each one's rows begin in `sortedRows`. */
  readonly bucketOffsets: Int32Array;
}

/** @param tokens  [rows] the bucket of each, 0 or more. A counting sort: stable */
export function bucketTokens(tokens: Int32Array): Buckets {
  let most = -1;
  for (const token of tokens) most = Math.max(most, token);
  const counts = new Int32Array(most + 1);
  for (const token of tokens) counts[token]++;
  const distinct: number[] = [];
  const offsets = [0];
  const next = new Int32Array(most + 1);
  for (let token = 0, begin = 0; token <= most; token++) {
    if (counts[token] === 0) continue;
    next[token] = begin;
    begin += counts[token];
    distinct.push(token);
    offsets.push(begin);
  }
  const sortedRows = new Int32Array(tokens.length);
  for (let row = 0; row < tokens.length; row++) sortedRows[next[tokens[row]]++] = row;
  return { sortedRows, bucketTokens: Int32Array.from(distinct), bucketOffsets: Int32Array.from(offsets) };
}
