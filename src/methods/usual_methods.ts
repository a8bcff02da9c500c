/**
 * The methods that keys of a stage mean (TRL's names for a loss, a switch, an option) and the defaults of the points: what
 * every config can name, wherever it is read. All others are given by a `MethodList`.
 */
import { group } from './advantage_estimators/group.ts';
import { constNorm } from './aggregations/const_norm.ts';
import { microTokenMean } from './aggregations/micro_token_mean.ts';
import { seqMean } from './aggregations/seq_mean.ts';
import { seqSum } from './aggregations/seq_sum.ts';
import { tokenMean } from './aggregations/token_mean.ts';
import { refSync } from './controllers/ref_sync.ts';
import { until } from './controllers/until.ts';
import { topEntropyMask } from './credit_steps/top_entropy_mask.ts';
import { truncationMask } from './credit_steps/truncation_mask.ts';
import { entropyBonus } from './loss_terms/entropy_bonus.ts';
import { klLoss } from './loss_terms/kl_loss.ts';
import type { MethodList, PointMethods } from './method_list.ts';
import { cispo } from './objectives/cispo.ts';
import { dualClip } from './objectives/dual_clip.ts';
import { pDiv } from './objectives/p_div.ts';
import { ppoClip } from './objectives/ppo_clip.ts';
import { sapo } from './objectives/sapo.ts';
import { vespo } from './objectives/vespo.ts';
import { stream } from './prompt_sources/stream.ts';
import { sequence } from './ratios/sequence.ts';
import { sequenceToken } from './ratios/sequence_token.ts';
import { token } from './ratios/token.ts';
import { refill } from './rollout_strategies/refill.ts';
import { eachPoint } from './stage.ts';
import { opsm } from './token_weights/opsm.ts';
import { tis } from './token_weights/tis.ts';

export const USUAL_METHODS: PointMethods = {
  promptSource: [stream],
  rolloutStrategies: [refill],
  tokenControls: [],
  groupSteps: [],
  advantageEstimator: [group],
  creditSteps: [truncationMask, topEntropyMask],
  ratio: [token, sequence, sequenceToken],
  objective: [ppoClip, cispo, sapo, vespo, dualClip, pDiv],
  tokenWeights: [opsm, tis],
  lossTerms: [klLoss, entropyBonus],
  aggregation: [seqMean, microTokenMean, constNorm, tokenMean, seqSum],
  controllers: [refSync, until],
  evaluationFigures: [],
};

export const CORE_METHODS: MethodList = {
  at: USUAL_METHODS,
  demonstrations: [],
  names: { ...eachPoint((point) => USUAL_METHODS[point].map(({ id }) => id)), demonstrations: [] },
  own: {},
};
