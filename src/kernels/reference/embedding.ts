/** Token embedding: rows of a table. Formulas and shapes: kernels.ts (embedding). */
import type { EmbeddingArgs, EmbeddingBackwardArgs } from '../kernels.ts';
import type { Dimensions, Opened } from './operands.ts';

/** out[r] = table[tokens[r]] */
export function embedding({ tokens, table, out, rows }: Opened<EmbeddingArgs>, { D }: Dimensions): void {
  for (let r = rows.begin; r < rows.end; r++) {
    for (let i = 0; i < D; i++) out[r * D + i] = table[tokens[r] * D + i];
  }
}

/** dTable[token] += dOut[r], bucket by bucket, and within a bucket row after row. */
export function embeddingBackward(
  { dOut, sortedRows, bucketTokens, bucketOffsets, buckets, dTable }: Opened<EmbeddingBackwardArgs>,
  { D }: Dimensions,
): void {
  for (let bucket = 0; bucket < buckets; bucket++) {
    const token = bucketTokens[bucket];
    for (let place = bucketOffsets[bucket]; place < bucketOffsets[bucket + 1]; place++) {
      const r = sortedRows[place];
      for (let i = 0; i < D; i++) dTable[token * D + i] += dOut[r * D + i];
    }
  }
}
