/** Token embedding: rows of a table. Formulas and shapes: kernels.ts (embedding). */
import type { ReferenceKernel } from './reference_kernel.ts';
import { int, real } from './shapes.ts';

/** out[r] = table[tokens[r]] */
export const embedding: ReferenceKernel<'embedding'> = {
  rules: () => ({ tokens: int('N'), table: real('V', 'D'), out: real('N', 'D'), rows: 'N' }),
  run({ tokens, table, out, rows }, { D }) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let i = 0; i < D; i++) out[r * D + i] = table[tokens[r] * D + i];
    }
  },
};

/** dTable[token] += dOut[r], bucket by bucket, and within a bucket row after row. */
export const embeddingBackward: ReferenceKernel<'embeddingBackward'> = {
  rules: () => ({
    dOut: real('N', 'D'),
    sortedRows: int('N'),
    bucketTokens: int('buckets'),
    bucketOffsets: int('buckets+1'),
    buckets: 'buckets',
    dTable: real('V', 'D'),
  }),
  run({ dOut, sortedRows, bucketTokens, bucketOffsets, buckets, dTable }, { D }) {
    for (let bucket = 0; bucket < buckets; bucket++) {
      const token = bucketTokens[bucket];
      for (let place = bucketOffsets[bucket]; place < bucketOffsets[bucket + 1]; place++) {
        const r = sortedRows[place];
        for (let i = 0; i < D; i++) dTable[token * D + i] += dOut[r * D + i];
      }
    }
  },
};
