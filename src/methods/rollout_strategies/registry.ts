/** How completions are sampled. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { RolloutStrategy } from '../points.ts';
import { answerConditioned } from './answer_conditioned.ts';
import { consistencyCheck } from './consistency_check.ts';
import { contrastExplain } from './contrast_explain.ts';
import { didacticTeacher } from './didactic_teacher.ts';
import { draftRefine } from './draft_refine.ts';
import { hintResample } from './hint_resample.ts';
import { injectReference } from './inject_reference.ts';
import { latr } from './latr.ts';
import { mcts } from './mcts.ts';
import { minimalHintReplace } from './minimal_hint_replace.ts';
import { multiRoundMemory } from './multi_round_memory.ts';
import { oversampleSelect } from './oversample_select.ts';
import { pdr } from './pdr.ts';
import { prefixBranch } from './prefix_branch.ts';
import { prerequisiteGate } from './prerequisite_gate.ts';
import { prerl } from './prerl.ts';
import { prof } from './prof.ts';
import { proposerSolver } from './proposer_solver.ts';
import { proverVerifier } from './prover_verifier.ts';
import { r3 } from './r3.ts';
import { recompose } from './recompose.ts';
import { recycleJudge } from './recycle_judge.ts';
import { refProb } from './ref_prob.ts';
import { refill } from './refill.ts';
import { refineInject } from './refine_inject.ts';
import { replayBuffer } from './replay_buffer.ts';
import { rerollCache } from './reroll_cache.ts';
import { scaffoldDecay } from './scaffold_decay.ts';
import { segmentRollout } from './segment_rollout.ts';
import { selfPrinciple } from './self_principle.ts';
import { selfVerify } from './self_verify.ts';
import { startAnywhere } from './start_anywhere.ts';
import { stepDpoStage } from './step_dpo_stage.ts';
import { successReplay } from './success_replay.ts';
import { temperatureMix } from './temperature_mix.ts';
import { verifierCotrain } from './verifier_cotrain.ts';
import { verifree } from './verifree.ts';
import { vsrm } from './vsrm.ts';

export const ROLLOUT_STRATEGIES: readonly Method<RolloutStrategy>[] = [
  refill,
  oversampleSelect,
  prof,
  prefixBranch,
  draftRefine,
  pdr,
  selfVerify,
  recycleJudge,
  proposerSolver,
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
  startAnywhere,
  recompose,
  segmentRollout,
  multiRoundMemory,
  didacticTeacher,
  consistencyCheck,
  prerequisiteGate,
  latr,
  mcts,
  contrastExplain,
  stepDpoStage,
  verifierCotrain,
  proverVerifier,
  selfPrinciple,
];
