/** What changes the rewards of groups. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { GroupStep } from '../points.ts';
import { actionGuard } from './action_guard.ts';
import { activeAudit } from './active_audit.ts';
import { agree } from './agree.ts';
import { appeal } from './appeal.ts';
import { auxAutoWeight } from './aux_auto_weight.ts';
import { constraintDual } from './constraint_dual.ts';
import { crossMajority } from './cross_majority.ts';
import { distanceDelta } from './distance_delta.ts';
import { dynamicWeights } from './dynamic_weights.ts';
import { ensemble } from './ensemble.ts';
import { feedbackRetry } from './feedback_retry.ts';
import { harmonic } from './harmonic.ts';
import { ladder } from './ladder.ts';
import { mCurriculum } from './m_curriculum.ts';
import { mProxyGap } from './m_proxy_gap.ts';
import { mSignal } from './m_signal.ts';
import { macroActions } from './macro_actions.ts';
import { majority } from './majority.ts';
import { milestones } from './milestones.ts';
import { noiseBackward } from './noise_backward.ts';
import { noiseForward } from './noise_forward.ts';
import { noisyWrapper } from './noisy_wrapper.ts';
import { potentialShaping } from './potential_shaping.ts';
import { pseudoLabelSelect } from './pseudo_label_select.ts';
import { rankPenalty } from './rank_penalty.ts';
import { rewardTransform } from './reward_transform.ts';
import { softGate } from './soft_gate.ts';
import { solvedOverride } from './solved_override.ts';
import { spreadGuard } from './spread_guard.ts';
import { stateMatch } from './state_match.ts';
import { strictnessSchedule } from './strictness_schedule.ts';
import { tagRules } from './tag_rules.ts';
import { toolF1 } from './tool_f1.ts';
import { toolGain } from './tool_gain.ts';
import { toolScore } from './tool_score.ts';
import { trajectorySelect } from './trajectory_select.ts';
import { turnRubric } from './turn_rubric.ts';
import { weaver } from './weaver.ts';
import { winRate } from './win_rate.ts';

export const GROUP_STEPS: readonly Method<GroupStep>[] = [
  ladder,
  solvedOverride,
  rewardTransform,
  strictnessSchedule,
  winRate,
  spreadGuard,
  majority,
  crossMajority,
  pseudoLabelSelect,
  trajectorySelect,
  noisyWrapper,
  noiseBackward,
  noiseForward,
  appeal,
  harmonic,
  constraintDual,
  auxAutoWeight,
  weaver,
  agree,
  ensemble,
  potentialShaping,
  feedbackRetry,
  tagRules,
  actionGuard,
  macroActions,
  milestones,
  distanceDelta,
  stateMatch,
  toolScore,
  toolF1,
  toolGain,
  turnRubric,
  softGate,
  mProxyGap,
  activeAudit,
  dynamicWeights,
  mSignal,
  mCurriculum,
  rankPenalty,
];
