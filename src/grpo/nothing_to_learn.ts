/** Why a run gives up after generation batches without a live group. */
import { commonestWrong } from '../diagnostics/wrong_answers.ts';
import { RlvrError } from '../errors.ts';
import type { Collected } from '../methods/records.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import { hasEqualRewards } from '../methods/support/credit/baseline.ts';
import { wrongAnswers } from './diagnose.ts';
import type { RunState } from './journal.ts';

/** Generation batches in a row without a live group after which a run gives up. */
export const MOST_DEAD_BATCHES = 10;

const NOTHING_TO_LEARN = 'nothing-to-learn';

/** @param remedy  of the diagnoses of these batches; undefined: there were none */
export function nothingToLearn(
  { step }: RunState,
  stage: GrpoStageConfig,
  collected: Collected,
  remedy = 'Use an easier or harder task, a longer sft stage, a denser reward, or more num_generations',
): RlvrError {
  const why = collected.groups.every(hasEqualRewards)
    ? `Every group of the last one, of ${stage.batch.numGenerations} completions, got equal rewards.\n` +
      `  ${remedy}.${shownWrong(collected)}`
    : `Rewards of the last one differ, but the steps between them and the update left no advantage: ${namesBeforeUpdate(stage)}.\n` +
      '  Loosen one of these, or leave it out.';
  return new RlvrError(
    NOTHING_TO_LEARN,
    `step ${step + 1}: ${MOST_DEAD_BATCHES} generation batches in a row without a live group; stopped. ${why}`,
    { step },
  );
}

/** Whether a run ended because no group was live. */
export function isNothingToLearn(error: unknown): boolean {
  return error instanceof RlvrError && error.code === NOTHING_TO_LEARN;
}

/** If no answer is right, the most common ones say more than any figure. */
function shownWrong({ groups }: Collected): string {
  const wrong = wrongAnswers(groups);
  const isNoneRight = wrong.length === groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0);
  const shown = isNoneRight ? commonestWrong(wrong) : undefined;
  return shown === undefined ? '' : `\n  ${shown}`;
}

/** The methods that may take the advantages of a live group. */
function namesBeforeUpdate({ methods }: GrpoStageConfig): string {
  const { rolloutStrategies, groupSteps, advantageEstimator, creditSteps } = methods;
  return [...rolloutStrategies, ...groupSteps, ...advantageEstimator, ...creditSteps]
    .map(({ name }) => name)
    .join(', ');
}
