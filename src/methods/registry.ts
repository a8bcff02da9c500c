/** Every method by its point. A new one is a file and a line here. */
import { brpo } from './advantages/brpo.ts';
import { bundle } from './advantages/bundle.ts';
import { canon } from './advantages/canon.ts';
import { constant } from './advantages/constant.ts';
import { emaRole } from './advantages/ema_role.ts';
import { greedy } from './advantages/greedy.ts';
import { group } from './advantages/group.ts';
import { jsShrinkage } from './advantages/js_shrinkage.ts';
import { lengthWeighted } from './advantages/length_weighted.ts';
import { maxrl } from './advantages/maxrl.ts';
import { nsr } from './advantages/nsr.ts';
import { passkAnalytic } from './advantages/passk_analytic.ts';
import { pkpo } from './advantages/pkpo.ts';
import { processCentred } from './advantages/process_centred.ts';
import { psr } from './advantages/psr.ts';
import { reinforcePp } from './advantages/reinforce_pp.ts';
import { renorm } from './advantages/renorm.ts';
import { riskpo } from './advantages/riskpo.ts';
import { rloo } from './advantages/rloo.ts';
import { sas } from './advantages/sas.ts';
import { tournament } from './advantages/tournament.ts';
import { trieValue } from './advantages/trie_value.ts';
import { wReinforce } from './advantages/w_reinforce.ts';
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
import { annealInSequence } from './controls/anneal_in_sequence.ts';
import { answerForcing } from './controls/answer_forcing.ts';
import { earlyStop } from './controls/early_stop.ts';
import { repetitionStop } from './controls/repetition_stop.ts';
import { passHatK } from './figures/pass_hat_k.ts';
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
import { entropyGuard } from './masks/entropy_guard.ts';
import { lengthMask } from './masks/length_mask.ts';
import { precisionWeights } from './masks/precision_weights.ts';
import { stdEmaFilter } from './masks/std_ema_filter.ts';
import { topEntropyMask } from './masks/top_entropy_mask.ts';
import { truncationMask } from './masks/truncation_mask.ts';
import { mCov } from './measures/m_cov.ts';
import { mEntropy } from './measures/m_entropy.ts';
import { mRatio } from './measures/m_ratio.ts';
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
import { none } from './ratios/none.ts';
import { sequence } from './ratios/sequence.ts';
import { sequenceSum } from './ratios/sequence_sum.ts';
import { sequenceToken } from './ratios/sequence_token.ts';
import { token } from './ratios/token.ts';
import { answerConditioned } from './rollouts/answer_conditioned.ts';
import { draftRefine } from './rollouts/draft_refine.ts';
import { hintResample } from './rollouts/hint_resample.ts';
import { injectReference } from './rollouts/inject_reference.ts';
import { minimalHintReplace } from './rollouts/minimal_hint_replace.ts';
import { oversampleSelect } from './rollouts/oversample_select.ts';
import { pdr } from './rollouts/pdr.ts';
import { prefixBranch } from './rollouts/prefix_branch.ts';
import { prerl } from './rollouts/prerl.ts';
import { prof } from './rollouts/prof.ts';
import { r3 } from './rollouts/r3.ts';
import { recycleJudge } from './rollouts/recycle_judge.ts';
import { refProb } from './rollouts/ref_prob.ts';
import { refill } from './rollouts/refill.ts';
import { refineInject } from './rollouts/refine_inject.ts';
import { replayBuffer } from './rollouts/replay_buffer.ts';
import { rerollCache } from './rollouts/reroll_cache.ts';
import { scaffoldDecay } from './rollouts/scaffold_decay.ts';
import { selfVerify } from './rollouts/self_verify.ts';
import { successReplay } from './rollouts/success_replay.ts';
import { temperatureMix } from './rollouts/temperature_mix.ts';
import { verifree } from './rollouts/verifree.ts';
import { vsrm } from './rollouts/vsrm.ts';
import { confidence } from './shaping/confidence.ts';
import { contextDependency } from './shaping/context_dependency.ts';
import { difficultyWeight } from './shaping/difficulty_weight.ts';
import { informativeScale } from './shaping/informative_scale.ts';
import { klReward } from './shaping/kl_reward.ts';
import { negScaleSuccess } from './shaping/neg_scale_success.ts';
import { posWeight } from './shaping/pos_weight.ts';
import { sampleSign } from './shaping/sample_sign.ts';
import { selfCertainty } from './shaping/self_certainty.ts';
import { selfScoreMix } from './shaping/self_score_mix.ts';
import { teacherCredit } from './shaping/teacher_credit.ts';
import { tokenReward } from './shaping/token_reward.ts';
import { bandit } from './sources/bandit.ts';
import { fewShotData } from './sources/few_shot_data.ts';
import { greedyFilter } from './sources/greedy_filter.ts';
import { keepRange } from './sources/keep_range.ts';
import { mixtureProgress } from './sources/mixture_progress.ts';
import { prefilter } from './sources/prefilter.ts';
import { prioritized } from './sources/prioritized.ts';
import { solveRatePrune } from './sources/solve_rate_prune.ts';
import { stream } from './sources/stream.ts';
import { twin } from './sources/twin.ts';
import { weakness } from './sources/weakness.ts';
import type { MethodPoint } from './stage.ts';
import { contextKl } from './terms/context_kl.ts';
import { entropyBonus } from './terms/entropy_bonus.ts';
import { hingeKl } from './terms/hinge_kl.ts';
import { klCov } from './terms/kl_cov.ts';
import { klExact } from './terms/kl_exact.ts';
import { klLoss } from './terms/kl_loss.ts';
import { klSampler } from './terms/kl_sampler.ts';
import { laser } from './terms/laser.ts';
import { lpReg } from './terms/lp_reg.ts';
import { positiveNll } from './terms/positive_nll.ts';
import { sdpo } from './terms/sdpo.ts';
import { sftNll } from './terms/sft_nll.ts';
import { sftReplay } from './terms/sft_replay.ts';
import { clipCov } from './weights/clip_cov.ts';
import { decoupled } from './weights/decoupled.ts';
import { icepop } from './weights/icepop.ts';
import { opsm } from './weights/opsm.ts';
import { tis } from './weights/tis.ts';

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
