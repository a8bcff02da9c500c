/** The weight of each token in the loss. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { Aggregation } from '../points.ts';
import { constNorm } from './const_norm.ts';
import { microTokenMean } from './micro_token_mean.ts';
import { promptMean } from './prompt_mean.ts';
import { seqMean } from './seq_mean.ts';
import { seqSum } from './seq_sum.ts';
import { tokenMean } from './token_mean.ts';
import { tokenSum } from './token_sum.ts';
import { weightedSeqMean } from './weighted_seq_mean.ts';

export const AGGREGATIONS: readonly Method<Aggregation>[] = [
  seqMean,
  microTokenMean,
  constNorm,
  tokenMean,
  seqSum,
  promptMean,
  weightedSeqMean,
  tokenSum,
];
