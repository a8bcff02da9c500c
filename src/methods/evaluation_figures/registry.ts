/** Further figures of an evaluation. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { EvaluationFigure } from '../points.ts';
import { bestOfK } from './best_of_k.ts';
import { failureClass } from './failure_class.ts';
import { labelAudit } from './label_audit.ts';
import { mBehaviour } from './m_behaviour.ts';
import { mBias } from './m_bias.ts';
import { mCalibration } from './m_calibration.ts';
import { mCotPass } from './m_cot_pass.ts';
import { mDiversity } from './m_diversity.ts';
import { mEnv } from './m_env.ts';
import { mGenLevels } from './m_gen_levels.ts';
import { mLength } from './m_length.ts';
import { mProcess } from './m_process.ts';
import { mSelfverify } from './m_selfverify.ts';
import { mTurn } from './m_turn.ts';
import { majK } from './maj_k.ts';
import { passHatK } from './pass_hat_k.ts';
import { weightedMaj } from './weighted_maj.ts';

export const EVALUATION_FIGURES: readonly Method<EvaluationFigure>[] = [
  passHatK,
  majK,
  weightedMaj,
  bestOfK,
  mDiversity,
  mCalibration,
  failureClass,
  mTurn,
  mEnv,
  mLength,
  mProcess,
  mCotPass,
  mBehaviour,
  mBias,
  mGenLevels,
  mSelfverify,
  labelAudit,
];
