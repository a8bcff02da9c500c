/** The ratio of a token, of a completion, …. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { Ratio } from '../points.ts';
import { none } from './none.ts';
import { sequence } from './sequence.ts';
import { sequenceSum } from './sequence_sum.ts';
import { sequenceToken } from './sequence_token.ts';
import { token } from './token.ts';

export const RATIOS: readonly Method<Ratio>[] = [token, sequence, sequenceToken, sequenceSum, none];
