/** The next batch of a stage: rolled out, judged and credited, again and again until one has something to learn from. */
import { commonestWrong } from '../diagnostics/wrong_answers.ts';
import { NumericsError, RlvrError } from '../errors.ts';
import type { Ledger } from '../methods/ledger.ts';
import { type Observation, observationsOf } from '../methods/ledger.ts';
import type { Collected, CreditedGroup, RolloutGroup, StepMetrics } from '../methods/records.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import { hasEqualRewards } from '../methods/support/credit/baseline.ts';
import { lossTokens } from '../methods/tokens.ts';
import { ledger as ledgerUse } from '../methods/uses/ledger.ts';
import { states } from '../methods/uses/states.ts';
import { type Diagnosed, wrongAnswers } from './diagnose.ts';
import type { Engine } from './engine.ts';
import type { TrainEvent } from './events.ts';
import type { Points } from './interruption.ts';
import type { Buffer, Journal, RunState } from './journal.ts';
import { type BatchFate, batchMetrics, type SampledBatch } from './metrics.ts';
import { waitingBatch } from './queue.ts';
import { orGoBack, type RestPoint, restPoint } from './rest_point.ts';
import { collectGroups } from './rollout/collect.ts';
import { withoutSampledFigures, withSampledFigures } from './score/sampled_figures.ts';
import type { Step } from './step.ts';
import { actsInUpdate, creditGroups, selectGroups } from './update/credit.ts';

/** What is said of batches, steps and evaluations: a page loads it once there are some. */
export const training = (): Promise<typeof import('./diagnose_training.ts')> => import('./diagnose_training.ts');

/** Generation batches in a row without a live group after which a run gives up. */
const MOST_DEAD_BATCHES = 10;

const NOTHING_TO_LEARN = 'nothing-to-learn';

/** A stage of reinforcement under way. */
export interface Reinforced extends Diagnosed {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly ledger: Ledger;
  /** As the config has it. */
  readonly stage: GrpoStageConfig;
  /** Opens the step that is about to be taken. @param batches  at hand and waiting, default: as they are now */
  readonly openStep: (batches?: Pick<RunState, 'buffer' | 'queue'>) => Step;
}

/** A batch that has something to learn from. */
export interface Gathered {
  readonly batch: Buffer;
  readonly collected: Collected;
  /** The step that it was sampled at. */
  readonly sampling: Step;
  /** The run before it. */
  readonly rest: RestPoint;
  /** Lines of the log of the batches before it that had nothing to learn from. */
  readonly dead: readonly StepMetrics[];
  /** Tokens that carry a loss, those of these batches included. */
  readonly trainedTokens: number;
}

/** How a batch is gathered. */
export interface GatherOptions {
  readonly points: Pick<Points, 'interruptible'>;
  /** What samples; default: that of the run. */
  readonly sampler?: Engine['generator'];
  /** The engine is free for what credits a batch; default: it is. */
  readonly isFree?: () => Promise<unknown>;
}

/** @throws RlvrError after too many batches without a live group; these are over */
export async function* gatherBatch(
  run: Reinforced,
  { points, sampler = run.engine.generator, isFree = async () => {} }: GatherOptions,
): AsyncGenerator<TrainEvent, Gathered> {
  const { engine, journal, ledger, stage } = run;
  const { state } = journal;
  const dead: StepMetrics[] = [];
  let trained = 0;
  for (;;) {
    const sampling = run.openStep();
    const rest = restPoint(journal, sampling.methods);

    // 1. Roll out G completions per prompt, verify and reward them; the stage's strategies may sample again.
    const asked = { ...engine, generator: sampler };
    const collected = await points.interruptible(() => collectGroups(asked, sampling, journal));
    assertFinite(sampling, collected.groups);
    yield* (await training()).diagnoseBatch(run, collected, sampling.logged);

    // 2. Credit: advantages of all groups at once, then what shapes and masks them.
    const observations = observationsFor(sampling, collected);
    if (stage.staleness === undefined) ledger.record(observations, state.step);
    await isFree();
    const groups = await points.interruptible(() =>
      orGoBack(journal, sampling, rest, () => creditCollected(engine, sampling, journal, collected.groups)),
    );
    yield { type: 'rollouts', step: state.step + 1, collected, groups };
    trained += trainedTokens(sampling, groups);
    if (groups.some((group) => !group.dead)) {
      state.deadBatches = 0;
      const { weightsVersion } = engine.generator;
      const batch = waitingBatch(sampling, stage, { groups, weightsVersion, observations });
      return { batch, collected, sampling, rest, dead, trainedTokens: trained };
    }
    // Without a gradient, the optimizer's momentum alone would move the weights.
    const metrics = lineOf(run, { collected, groups, sampling }, 'dead');
    dead.push(metrics);
    yield { type: 'batch', stage: 'grpo', step: state.step + 1, metrics };
    if (stage.staleness !== undefined) ledger.record(observations, state.step);
    state.deadBatches++;
    if (state.deadBatches >= MOST_DEAD_BATCHES) {
      state.deadBatches = 0; // a resume tries as many
      throw nothingToLearn(state, stage, collected, (await training()).remedyOfDead(run));
    }
  }
}

/** What the ledger learns of a batch, where a method reads it. */
function observationsFor({ methods: { uses } }: Step, { unaided, groups }: Collected): readonly Observation[] {
  return uses.has(ledgerUse()) ? observationsOf(unaided ?? groups, uses.has(ledgerUse({ history: true }))) : [];
}

/** Tokens of a batch that carry a loss, each counted once. */
function trainedTokens({ methods }: Step, groups: readonly CreditedGroup[]): number {
  const acting = groups.filter((group) => actsInUpdate(methods, group));
  return acting.flatMap(({ rollouts }) => rollouts).reduce((sum, rollout) => sum + lossTokens(rollout), 0);
}

async function creditCollected(
  engine: Engine,
  step: Step,
  journal: Journal,
  drawn: readonly RolloutGroup[],
): Promise<readonly CreditedGroup[]> {
  const groups = await withSampledFigures(engine, step, journal, drawn);
  const credited = await creditGroups(engine.policy, step, selectGroups(step, groups));
  const { uses } = step.methods;
  const isPlain = uses.figures.length === 0 && !uses.has(states());
  return isPlain ? credited : withoutSampledFigures(credited);
}

/** A batch that no step follows at once, as the log has it. */
export function lineOf(
  { journal: { state }, stage }: Pick<Reinforced, 'journal' | 'stage'>,
  { sampling, ...sampled }: SampledBatch & Pick<Gathered, 'sampling'>,
  fate: BatchFate,
): StepMetrics {
  return batchMetrics(stage, sampled, sampling.logged, { step: state.step + 1, tokens: state.tokens, fate });
}

/** @param remedy  against what was diagnosed of these batches; undefined: nothing was */
function nothingToLearn(
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

/** Whether a run ended for want of a live group. */
export function isNothingToLearn(error: unknown): boolean {
  return error instanceof RlvrError && error.code === NOTHING_TO_LEARN;
}

/** Where no answer is right, the commonest say more than any figure. */
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

/** Weights that overflow without a trace in the gradient show here, before anything is learned from their samples. */
function assertFinite({ number }: Step, groups: readonly RolloutGroup[]): void {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const bad = rollouts.flatMap(({ logprobs }) => logprobs.find((value) => !Number.isFinite(value)) ?? []).at(0);
  if (bad === undefined) return;
  throw new NumericsError(
    'non-finite',
    `step ${number + 1}: the policy samples tokens of log-prob ${bad}: its weights are no longer usable.\n` +
      '  Lower learning_rate, and start again or resume an earlier checkpoint.',
    { step: number, value: String(bad) },
  );
}
