/** What shapes or masks advantages. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { CreditStep } from '../points.ts';
import { confidence } from './confidence.ts';
import { contextDependency } from './context_dependency.ts';
import { difficultyWeight } from './difficulty_weight.ts';
import { entropyGuard } from './entropy_guard.ts';
import { failureMask } from './failure_mask.ts';
import { firstDistance } from './first_distance.ts';
import { informativeScale } from './informative_scale.ts';
import { klMaskedPrompt } from './kl_masked_prompt.ts';
import { klReward } from './kl_reward.ts';
import { lengthMask } from './length_mask.ts';
import { mCov } from './m_cov.ts';
import { mEntropy } from './m_entropy.ts';
import { negScaleSuccess } from './neg_scale_success.ts';
import { noiseBonus } from './noise_bonus.ts';
import { phaseScale } from './phase_scale.ts';
import { posWeight } from './pos_weight.ts';
import { precisionWeights } from './precision_weights.ts';
import { roleTags } from './role_tags.ts';
import { sampleSign } from './sample_sign.ts';
import { selfCertainty } from './self_certainty.ts';
import { selfScoreMix } from './self_score_mix.ts';
import { stdEmaFilter } from './std_ema_filter.ts';
import { teacherCredit } from './teacher_credit.ts';
import { tokenReward } from './token_reward.ts';
import { topEntropyMask } from './top_entropy_mask.ts';
import { truncationMask } from './truncation_mask.ts';

export const CREDIT_STEPS: readonly Method<CreditStep>[] = [
  truncationMask,
  lengthMask,
  failureMask,
  topEntropyMask,
  entropyGuard,
  posWeight,
  phaseScale,
  sampleSign,
  negScaleSuccess,
  informativeScale,
  difficultyWeight,
  tokenReward,
  confidence,
  selfCertainty,
  stdEmaFilter,
  precisionWeights,
  selfScoreMix,
  contextDependency,
  klMaskedPrompt,
  noiseBonus,
  firstDistance,
  teacherCredit,
  mCov,
  mEntropy,
  klReward,
  roleTags,
];
