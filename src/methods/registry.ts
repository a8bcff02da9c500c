/** Every method by its point. A new one is a file and a line in the folder of its point, whose list is `registry.ts` there. */
import { ADVANTAGE_ESTIMATORS } from './advantage_estimators/registry.ts';
import { AGGREGATIONS } from './aggregations/registry.ts';
import { CONTROLLERS } from './controllers/registry.ts';
import { CREDIT_STEPS } from './credit_steps/registry.ts';
import { EVALUATION_FIGURES } from './evaluation_figures/registry.ts';
import { GROUP_STEPS } from './group_steps/registry.ts';
import { LOSS_TERMS } from './loss_terms/registry.ts';
import type { Method } from './method.ts';
import { OBJECTIVES } from './objectives/registry.ts';
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
import { PROMPT_SOURCES } from './prompt_sources/registry.ts';
import { RATIOS } from './ratios/registry.ts';
import { ROLLOUT_STRATEGIES } from './rollout_strategies/registry.ts';
import type { MethodPoint } from './stage.ts';
import { TOKEN_CONTROLS } from './token_controls/registry.ts';
import { TOKEN_WEIGHTS } from './token_weights/registry.ts';

/** What the methods of each point make. */
export interface PointParts {
  promptSource: PromptSource;
  rolloutStrategies: RolloutStrategy;
  tokenControls: TokenControl;
  groupSteps: GroupStep;
  advantageEstimator: AdvantageEstimator;
  creditSteps: CreditStep;
  ratio: Ratio;
  objective: Objective;
  tokenWeights: TokenWeight;
  lossTerms: LossTerm;
  aggregation: Aggregation;
  controllers: Controller;
  evaluationFigures: EvaluationFigure;
}

export const METHODS: { readonly [P in MethodPoint]: readonly Method<PointParts[P]>[] } = {
  promptSource: PROMPT_SOURCES,
  rolloutStrategies: ROLLOUT_STRATEGIES,
  tokenControls: TOKEN_CONTROLS,
  groupSteps: GROUP_STEPS,
  advantageEstimator: ADVANTAGE_ESTIMATORS,
  creditSteps: CREDIT_STEPS,
  ratio: RATIOS,
  objective: OBJECTIVES,
  tokenWeights: TOKEN_WEIGHTS,
  lossTerms: LOSS_TERMS,
  aggregation: AGGREGATIONS,
  controllers: CONTROLLERS,
  evaluationFigures: EVALUATION_FIGURES,
};
