/** Every method by its point. A new one is a file and a line here. */
import { group } from './advantages/group.ts';
import { rloo } from './advantages/rloo.ts';
import { constNorm } from './aggregations/const_norm.ts';
import { microTokenMean } from './aggregations/micro_token_mean.ts';
import { seqMean } from './aggregations/seq_mean.ts';
import { tokenMean } from './aggregations/token_mean.ts';
import { refReset } from './controllers/ref_reset.ts';
import { repetitionStop } from './controls/repetition_stop.ts';
import { passHatK } from './figures/pass_hat_k.ts';
import { lengthMask } from './masks/length_mask.ts';
import { truncationMask } from './masks/truncation_mask.ts';
import type { Method } from './method.ts';
import { cispo } from './objectives/cispo.ts';
import { ppoClip } from './objectives/ppo_clip.ts';
import type {
  AdvantageEstimator,
  Aggregation,
  Controller,
  CreditStep,
  EvaluationFigure,
  GroupStep,
  LossTerm,
  PromptSource,
  RolloutStrategy,
  Surrogate,
  TokenControl,
} from './points.ts';
import { refill } from './rollouts/refill.ts';
import { prioritized } from './sources/prioritized.ts';
import { stream } from './sources/stream.ts';
import type { MethodPoint } from './stage.ts';
import { entropyBonus } from './terms/entropy_bonus.ts';
import { klLoss } from './terms/kl_loss.ts';

/** What the methods of each point make. */
export interface PointParts {
  promptSource: PromptSource;
  rolloutStrategies: RolloutStrategy;
  tokenControls: TokenControl;
  groupSteps: GroupStep;
  advantageEstimator: AdvantageEstimator;
  creditSteps: CreditStep;
  objective: Surrogate;
  lossTerms: LossTerm;
  aggregation: Aggregation;
  controllers: Controller;
  evaluationFigures: EvaluationFigure;
}

export const METHODS: { readonly [P in MethodPoint]: readonly Method<PointParts[P]>[] } = {
  promptSource: [stream, prioritized],
  rolloutStrategies: [refill],
  tokenControls: [repetitionStop],
  groupSteps: [],
  advantageEstimator: [group, rloo],
  creditSteps: [truncationMask, lengthMask],
  objective: [ppoClip, cispo],
  lossTerms: [klLoss, entropyBonus],
  aggregation: [seqMean, microTokenMean, constNorm, tokenMean],
  controllers: [refReset],
  evaluationFigures: [passHatK],
};
