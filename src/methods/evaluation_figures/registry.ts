/** Further figures of an evaluation. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { EvaluationFigure } from '../points.ts';
import { mEnv } from './m_env.ts';
import { mTurn } from './m_turn.ts';
import { passHatK } from './pass_hat_k.ts';

export const EVALUATION_FIGURES: readonly Method<EvaluationFigure>[] = [passHatK, mTurn, mEnv];
