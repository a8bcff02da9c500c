/** What is added to the objective. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { LossTerm } from '../points.ts';
import { contextKl } from './context_kl.ts';
import { difficultyBeta } from './difficulty_beta.ts';
import { entropyBonus } from './entropy_bonus.ts';
import { hingeKl } from './hinge_kl.ts';
import { klCov } from './kl_cov.ts';
import { klExact } from './kl_exact.ts';
import { klLoss } from './kl_loss.ts';
import { klSampler } from './kl_sampler.ts';
import { laser } from './laser.ts';
import { lpReg } from './lp_reg.ts';
import { mInterference } from './m_interference.ts';
import { mRatio } from './m_ratio.ts';
import { observationNll } from './observation_nll.ts';
import { positiveNll } from './positive_nll.ts';
import { sdpo } from './sdpo.ts';
import { sftNll } from './sft_nll.ts';
import { sftReplay } from './sft_replay.ts';
import { ssb } from './ssb.ts';

export const LOSS_TERMS: readonly Method<LossTerm>[] = [
  klLoss,
  entropyBonus,
  mRatio,
  klExact,
  lpReg,
  klSampler,
  hingeKl,
  klCov,
  sftNll,
  positiveNll,
  sftReplay,
  sdpo,
  laser,
  contextKl,
  observationNll,
  ssb,
  difficultyBeta,
  mInterference,
];
