/** Token embedding: rows of a table. Formulas and shapes: ../kernels.ts (embedding). */
import * as tf from '@tensorflow/tfjs';
import type { EmbeddingArgs, EmbeddingBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Opened } from './operands.ts';
import { takeRows } from './take_rows.ts';

/** out[r] = table[tokens[r]] */
export function embedding({ tokens, table, out, rows }: Opened<EmbeddingArgs>): void {
  out.set(takeRows(table.tensor(), tokens.ints.slice(rows.begin, rows.end)), rows);
}

/** The gradient of `takeRows` by the table; rows come sorted by token, so that they are its rows in another order. */
export function embeddingBackward(args: Opened<EmbeddingBackwardArgs>): void {
  const { dOut, sortedRows, bucketTokens, bucketOffsets, buckets, dTable } = args;
  if (buckets === 0) return;
  const order = sortedRows.ints.slice(0, bucketOffsets.ints[buckets]);
  const tokens = new Int32Array(order.length);
  for (let bucket = 0; bucket < buckets; bucket++) {
    const [begin, end] = [bucketOffsets.ints[bucket], bucketOffsets.ints[bucket + 1]];
    tokens.fill(bucketTokens.ints[bucket], begin, end);
  }
  const dRows = tf.gather(dOut.tensor(), tf.tensor1d(order, 'int32'));
  // A gather is linear in its table: any table of the shape has this gradient.
  const gradient = tf.grad((table) => takeRows(table, tokens));
  dTable.add(gradient(dTable.tensor(), dRows));
}
