/** Every method by its point. A new one is a file and a line here. */
import { brpo } from './advantage_estimators/brpo.ts';
import { bundle } from './advantage_estimators/bundle.ts';
import { canon } from './advantage_estimators/canon.ts';
import { constant } from './advantage_estimators/constant.ts';
import { emaRole } from './advantage_estimators/ema_role.ts';
import { greedy } from './advantage_estimators/greedy.ts';
import { group } from './advantage_estimators/group.ts';
import { jsShrinkage } from './advantage_estimators/js_shrinkage.ts';
import { lengthWeighted } from './advantage_estimators/length_weighted.ts';
import { maxrl } from './advantage_estimators/maxrl.ts';
import { nsr } from './advantage_estimators/nsr.ts';
import { passkAnalytic } from './advantage_estimators/passk_analytic.ts';
import { pkpo } from './advantage_estimators/pkpo.ts';
import { processCentred } from './advantage_estimators/process_centred.ts';
import { psr } from './advantage_estimators/psr.ts';
import { reinforcePp } from './advantage_estimators/reinforce_pp.ts';
import { renorm } from './advantage_estimators/renorm.ts';
import { riskpo } from './advantage_estimators/riskpo.ts';
import { rloo } from './advantage_estimators/rloo.ts';
import { sas } from './advantage_estimators/sas.ts';
import { tournament } from './advantage_estimators/tournament.ts';
import { trieValue } from './advantage_estimators/trie_value.ts';
import { wReinforce } from './advantage_estimators/w_reinforce.ts';
import { constNorm } from './aggregations/const_norm.ts';
import { microTokenMean } from './aggregations/micro_token_mean.ts';
import { promptMean } from './aggregations/prompt_mean.ts';
import { seqMean } from './aggregations/seq_mean.ts';
import { seqSum } from './aggregations/seq_sum.ts';
import { tokenMean } from './aggregations/token_mean.ts';
import { tokenSum } from './aggregations/token_sum.ts';
import { weightedSeqMean } from './aggregations/weighted_seq_mean.ts';
import { adaptiveBeta } from './controllers/adaptive_beta.ts';
import { earlyStopMetric } from './controllers/early_stop_metric.ts';
import { firstKl } from './controllers/first_kl.ts';
import { klTrust } from './controllers/kl_trust.ts';
import { overoptStop } from './controllers/overopt_stop.ts';
import { refEma } from './controllers/ref_ema.ts';
import { refReset } from './controllers/ref_reset.ts';
import { refSync } from './controllers/ref_sync.ts';
import { temperatureSchedule } from './controllers/temperature_schedule.ts';
import { until } from './controllers/until.ts';
import { confidence } from './credit_steps/confidence.ts';
import { contextDependency } from './credit_steps/context_dependency.ts';
import { difficultyWeight } from './credit_steps/difficulty_weight.ts';
import { entropyGuard } from './credit_steps/entropy_guard.ts';
import { informativeScale } from './credit_steps/informative_scale.ts';
import { klReward } from './credit_steps/kl_reward.ts';
import { lengthMask } from './credit_steps/length_mask.ts';
import { mCov } from './credit_steps/m_cov.ts';
import { mEntropy } from './credit_steps/m_entropy.ts';
import { negScaleSuccess } from './credit_steps/neg_scale_success.ts';
import { posWeight } from './credit_steps/pos_weight.ts';
import { precisionWeights } from './credit_steps/precision_weights.ts';
import { sampleSign } from './credit_steps/sample_sign.ts';
import { selfCertainty } from './credit_steps/self_certainty.ts';
import { selfScoreMix } from './credit_steps/self_score_mix.ts';
import { stdEmaFilter } from './credit_steps/std_ema_filter.ts';
import { teacherCredit } from './credit_steps/teacher_credit.ts';
import { tokenReward } from './credit_steps/token_reward.ts';
import { topEntropyMask } from './credit_steps/top_entropy_mask.ts';
import { truncationMask } from './credit_steps/truncation_mask.ts';
import { passHatK } from './evaluation_figures/pass_hat_k.ts';
import { agree } from './group_steps/agree.ts';
import { appeal } from './group_steps/appeal.ts';
import { auxAutoWeight } from './group_steps/aux_auto_weight.ts';
import { constraintDual } from './group_steps/constraint_dual.ts';
import { crossMajority } from './group_steps/cross_majority.ts';
import { ensemble } from './group_steps/ensemble.ts';
import { harmonic } from './group_steps/harmonic.ts';
import { ladder } from './group_steps/ladder.ts';
import { majority } from './group_steps/majority.ts';
import { noiseBackward } from './group_steps/noise_backward.ts';
import { noiseForward } from './group_steps/noise_forward.ts';
import { noisyWrapper } from './group_steps/noisy_wrapper.ts';
import { pseudoLabelSelect } from './group_steps/pseudo_label_select.ts';
import { rewardTransform } from './group_steps/reward_transform.ts';
import { solvedOverride } from './group_steps/solved_override.ts';
import { spreadGuard } from './group_steps/spread_guard.ts';
import { strictnessSchedule } from './group_steps/strictness_schedule.ts';
import { weaver } from './group_steps/weaver.ts';
import { winRate } from './group_steps/win_rate.ts';
import { none } from './importance_sampling/none.ts';
import { sequence } from './importance_sampling/sequence.ts';
import { sequenceSum } from './importance_sampling/sequence_sum.ts';
import { sequenceToken } from './importance_sampling/sequence_token.ts';
import { token } from './importance_sampling/token.ts';
import { contextKl } from './loss_terms/context_kl.ts';
import { entropyBonus } from './loss_terms/entropy_bonus.ts';
import { hingeKl } from './loss_terms/hinge_kl.ts';
import { klCov } from './loss_terms/kl_cov.ts';
import { klExact } from './loss_terms/kl_exact.ts';
import { klLoss } from './loss_terms/kl_loss.ts';
import { klSampler } from './loss_terms/kl_sampler.ts';
import { laser } from './loss_terms/laser.ts';
import { lpReg } from './loss_terms/lp_reg.ts';
import { mRatio } from './loss_terms/m_ratio.ts';
import { positiveNll } from './loss_terms/positive_nll.ts';
import { sdpo } from './loss_terms/sdpo.ts';
import { sftNll } from './loss_terms/sft_nll.ts';
import { sftReplay } from './loss_terms/sft_replay.ts';
import type { Method } from './method.ts';
import { cispo } from './objectives/cispo.ts';
import { dcpoClip } from './objectives/dcpo_clip.ts';
import { dpoPairs } from './objectives/dpo_pairs.ts';
import { dppoTv } from './objectives/dppo_tv.ts';
import { drpo } from './objectives/drpo.ts';
import { dualClip } from './objectives/dual_clip.ts';
import { gmpo } from './objectives/gmpo.ts';
import { pDiv } from './objectives/p_div.ts';
import { pacs } from './objectives/pacs.ts';
import { ppoClip } from './objectives/ppo_clip.ts';
import { reinforce } from './objectives/reinforce.ts';
import { rft } from './objectives/rft.ts';
import { sapo } from './objectives/sapo.ts';
import { sqLogRatio } from './objectives/sq_log_ratio.ts';
import { topr } from './objectives/topr.ts';
import { verifreeLoss } from './objectives/verifree_loss.ts';
import { vespo } from './objectives/vespo.ts';
import type {
  AdvantageEstimator,
  Aggregation,
  Controller,
  CreditStep,
  EvaluationFigure,
  GroupStep,
  LossTerm,
  Objective,
  PromptSource,
  Ratio,
  RolloutStrategy,
  TokenControl,
  TokenWeight,
} from './points.ts';
import { bandit } from './prompt_sources/bandit.ts';
import { fewShotData } from './prompt_sources/few_shot_data.ts';
import { greedyFilter } from './prompt_sources/greedy_filter.ts';
import { keepRange } from './prompt_sources/keep_range.ts';
import { mixtureProgress } from './prompt_sources/mixture_progress.ts';
import { prefilter } from './prompt_sources/prefilter.ts';
import { prioritized } from './prompt_sources/prioritized.ts';
import { solveRatePrune } from './prompt_sources/solve_rate_prune.ts';
import { stream } from './prompt_sources/stream.ts';
import { twin } from './prompt_sources/twin.ts';
import { weakness } from './prompt_sources/weakness.ts';
import { answerConditioned } from './rollout_strategies/answer_conditioned.ts';
import { draftRefine } from './rollout_strategies/draft_refine.ts';
import { hintResample } from './rollout_strategies/hint_resample.ts';
import { injectReference } from './rollout_strategies/inject_reference.ts';
import { minimalHintReplace } from './rollout_strategies/minimal_hint_replace.ts';
import { oversampleSelect } from './rollout_strategies/oversample_select.ts';
import { pdr } from './rollout_strategies/pdr.ts';
import { prefixBranch } from './rollout_strategies/prefix_branch.ts';
import { prerl } from './rollout_strategies/prerl.ts';
import { prof } from './rollout_strategies/prof.ts';
import { r3 } from './rollout_strategies/r3.ts';
import { recycleJudge } from './rollout_strategies/recycle_judge.ts';
import { refProb } from './rollout_strategies/ref_prob.ts';
import { refill } from './rollout_strategies/refill.ts';
import { refineInject } from './rollout_strategies/refine_inject.ts';
import { replayBuffer } from './rollout_strategies/replay_buffer.ts';
import { rerollCache } from './rollout_strategies/reroll_cache.ts';
import { scaffoldDecay } from './rollout_strategies/scaffold_decay.ts';
import { selfVerify } from './rollout_strategies/self_verify.ts';
import { successReplay } from './rollout_strategies/success_replay.ts';
import { temperatureMix } from './rollout_strategies/temperature_mix.ts';
import { verifree } from './rollout_strategies/verifree.ts';
import { vsrm } from './rollout_strategies/vsrm.ts';
import type { MethodPoint } from './stage.ts';
import { annealInSequence } from './token_controls/anneal_in_sequence.ts';
import { answerForcing } from './token_controls/answer_forcing.ts';
import { earlyStop } from './token_controls/early_stop.ts';
import { repetitionStop } from './token_controls/repetition_stop.ts';
import { clipCov } from './token_weights/clip_cov.ts';
import { decoupled } from './token_weights/decoupled.ts';
import { icepop } from './token_weights/icepop.ts';
import { opsm } from './token_weights/opsm.ts';
import { tis } from './token_weights/tis.ts';

/** What the methods of each point make. */
export interface PointParts {
  promptSource: PromptSource;
  rolloutStrategies: RolloutStrategy;
  tokenControls: TokenControl;
  groupSteps: GroupStep;
  advantageEstimator: AdvantageEstimator;
  creditSteps: CreditStep;
  importanceSamplingLevel: Ratio;
  objective: Objective;
  tokenWeights: TokenWeight;
  lossTerms: LossTerm;
  aggregation: Aggregation;
  controllers: Controller;
  evaluationFigures: EvaluationFigure;
}

export const METHODS: { readonly [P in MethodPoint]: readonly Method<PointParts[P]>[] } = {
  promptSource: [
    stream,
    prioritized,
    fewShotData,
    prefilter,
    keepRange,
    solveRatePrune,
    greedyFilter,
    weakness,
    mixtureProgress,
    bandit,
    twin,
  ],
  rolloutStrategies: [
    refill,
    oversampleSelect,
    prof,
    prefixBranch,
    draftRefine,
    pdr,
    selfVerify,
    recycleJudge,
    hintResample,
    minimalHintReplace,
    scaffoldDecay,
    answerConditioned,
    injectReference,
    refineInject,
    rerollCache,
    replayBuffer,
    prerl,
    temperatureMix,
    successReplay,
    refProb,
    r3,
    verifree,
    vsrm,
  ],
  tokenControls: [repetitionStop, earlyStop, answerForcing, annealInSequence],
  groupSteps: [
    ladder,
    solvedOverride,
    rewardTransform,
    strictnessSchedule,
    winRate,
    spreadGuard,
    majority,
    crossMajority,
    pseudoLabelSelect,
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
  ],
  advantageEstimator: [
    group,
    rloo,
    jsShrinkage,
    lengthWeighted,
    maxrl,
    reinforcePp,
    wReinforce,
    nsr,
    psr,
    passkAnalytic,
    pkpo,
    riskpo,
    bundle,
    canon,
    brpo,
    tournament,
    processCentred,
    renorm,
    trieValue,
    greedy,
    sas,
    emaRole,
    constant,
  ],
  creditSteps: [
    truncationMask,
    lengthMask,
    topEntropyMask,
    entropyGuard,
    posWeight,
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
    teacherCredit,
    mCov,
    mEntropy,
    klReward,
  ],
  importanceSamplingLevel: [token, sequence, sequenceToken, sequenceSum, none],
  objective: [
    ppoClip,
    cispo,
    sapo,
    vespo,
    reinforce,
    topr,
    dualClip,
    gmpo,
    dcpoClip,
    dppoTv,
    sqLogRatio,
    pacs,
    drpo,
    dpoPairs,
    pDiv,
    rft,
    verifreeLoss,
  ],
  tokenWeights: [opsm, tis, icepop, clipCov, decoupled],
  lossTerms: [
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
  ],
  aggregation: [seqMean, microTokenMean, constNorm, tokenMean, seqSum, promptMean, weightedSeqMean, tokenSum],
  controllers: [
    refReset,
    refSync,
    adaptiveBeta,
    earlyStopMetric,
    firstKl,
    klTrust,
    overoptStop,
    refEma,
    temperatureSchedule,
    until,
  ],
  evaluationFigures: [passHatK],
};
