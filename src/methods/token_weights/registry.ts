/** What weighs and masks the objective. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { TokenWeight } from '../points.ts';
import { clipCov } from './clip_cov.ts';
import { decoupled } from './decoupled.ts';
import { icepop } from './icepop.ts';
import { opsm } from './opsm.ts';
import { tis } from './tis.ts';

export const TOKEN_WEIGHTS: readonly Method<TokenWeight>[] = [opsm, tis, icepop, clipCov, decoupled];
