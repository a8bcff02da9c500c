/** Every method, loaded. */
import { METHODS as advantageEstimator } from '../made/advantage_estimators.ts';
import { METHODS as aggregation } from '../made/aggregations.ts';
import { METHODS as controllers } from '../made/controllers.ts';
import { METHODS as creditSteps } from '../made/credit_steps.ts';
import { METHODS as demonstrations } from '../made/demonstrations.ts';
import { METHODS as evaluationFigures } from '../made/evaluation_figures.ts';
import { METHODS as groupSteps } from '../made/group_steps.ts';
import { METHODS as lossTerms } from '../made/loss_terms.ts';
import { METHODS as objective } from '../made/objectives.ts';
import { METHODS as promptSource } from '../made/prompt_sources.ts';
import { METHODS as ratio } from '../made/ratios.ts';
import { METHODS as rolloutStrategies } from '../made/rollout_strategies.ts';
import { METHODS as tokenControls } from '../made/token_controls.ts';
import { METHODS as tokenWeights } from '../made/token_weights.ts';
import { methodsWith } from './methods_with.ts';

export const ALL_METHODS = methodsWith(
  {
    promptSource,
    rolloutStrategies,
    tokenControls,
    groupSteps,
    advantageEstimator,
    creditSteps,
    ratio,
    objective,
    tokenWeights,
    lossTerms,
    aggregation,
    controllers,
    evaluationFigures,
  },
  demonstrations,
);
