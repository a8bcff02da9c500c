/**
 * The training loop: collect rollouts → verify → advantages → update → report.
 *
 * A stream of typed events. At a `step` event the run is at rest: a listener may checkpoint it, or stop it by not
 * asking for more.
 */

import { enterStage } from '../diagnostics/watch.ts';
import { NumericsError, RlvrError } from '../errors.ts';
import { PARAMETER_SET_NAMES, PARAMETER_SETS } from '../methods/parameter_sets.ts';
import type { Collected, CreditedGroup, RolloutGroup } from '../methods/records.ts';
import type { GrpoStageConfig, SftStageConfig } from '../methods/stage.ts';
import { hasEqualRewards } from '../methods/support/credit/baseline.ts';
import { lossTokens } from '../methods/tokens.ts';
import { betterOf } from './best.ts';
import { controlAfterEvaluation, controlAfterStep } from './control.ts';
import {
  diagnoseBatch,
  diagnoseEnding,
  diagnoseEvaluation,
  diagnoseStart,
  diagnoseStop,
  diagnoseSupervised,
  diagnoseUpdate,
} from './diagnose.ts';
import { evaluate } from './evaluate.ts';
import type { EvaluationMoment, TrainEvent } from './events.ts';
import { supervisedMetrics, updateMetrics } from './metrics.ts';
import { collectGroups } from './rollout/collect.ts';
import type { Buffer, TrainingRun } from './run.ts';
import { endingOf, goBack, isStageOver, type RestPoint, restPoint, stageOf, timed } from './run.ts';
import { withProximalLogprobs } from './score/proximal.ts';
import { withoutSampledFigures, withSampledFigures } from './score/sampled_figures.ts';
import { methodsOf, openStep, type StepScope } from './step_scope.ts';
import { actsInUpdate, creditGroups, selectGroups } from './update/credit.ts';
import { superviseStep } from './update/supervised.ts';
import { updatePolicy } from './update/update.ts';

/** Generation batches in a row without a live group after which a run gives up. */
const MOST_DEAD_BATCHES = 10;

/** Trains from where the run stands to the end of its last stage. */
export async function* train(run: TrainingRun): AsyncGenerator<TrainEvent> {
  const { state, config } = run;
  for (; state.stageIndex < config.stages.length; nextStage(run)) {
    const stage = stageOf(run);
    const { step, stageIndex: index } = state;
    yield { type: 'stage', stage: stage.stage, index, step, maxSteps: stage.optimizer.maxSteps };
    if (step === 0) yield* diagnoseStart(run);
    try {
      yield* stage.stage === 'sft' ? superviseStage(run, stage) : grpoStage(run, stage);
    } catch (error) {
      yield* diagnoseStop(run, error);
      throw error;
    }
    if (index === config.stages.length - 1) break; // the run stays at the end of the last stage
  }
  yield { type: 'end', step: state.step };
}

function nextStage({ state }: TrainingRun): void {
  if (endingOf(state) !== undefined) state.buffer = undefined; // the next stage samples its own
  state.stageIndex++;
  state.step = 0;
  state.steering = { ...state.steering, settings: {}, momentsFrom: 0 };
  enterStage(state.watch, state.seconds);
}

/** Reinforcement: one generation batch after the other, each used for `numIterations` passes. */
async function* grpoStage(run: TrainingRun, stage: GrpoStageConfig): AsyncGenerator<TrainEvent> {
  const { state } = run;
  if (state.step === 0 && state.buffer === undefined) {
    await startSets(run);
    yield* evaluation(run, 'baseline');
  }
  let tokensBefore = state.tokens;
  while (!isStageOver(run)) {
    const start = run.clock();
    const rest = restPoint(run);
    const scope = openStep(run, stage);

    // 1. Roll out G completions per prompt, verify and reward them; the stage's strategies may sample again.
    let sampledPerTrained: number | undefined;
    const collected = state.buffer === undefined ? await collectGroups(run, scope.stage, scope) : undefined;
    if (collected !== undefined) {
      assertFinite(run, collected.groups);
      yield* diagnoseBatch(run, collected, scope.logged);

      // 2. Credit: advantages of all groups at once, then what shapes and masks them.
      const { ledger, ledgerHistory } = scope.methods.needs;
      if (ledger) run.ledger.record(collected.unaided ?? collected.groups, state.step, ledgerHistory);
      const groups = await orGoBack(run, rest, () => creditCollected(run, scope.stage, scope, collected.groups));
      yield { type: 'rollouts', step: state.step + 1, collected, groups };
      sampledPerTrained = (state.tokens - tokensBefore) / Math.max(1, trainedTokens(scope, groups));
      if (hasSignal(run, stage, collected, groups)) state.buffer = bufferOf(groups, stage, scope.stage);
      else continue; // without a gradient, the optimizer's momentum alone would move the weights
    }

    // 3. Update: the next minibatch of the buffer.
    const { groups, onPolicy, temperature } = takeMinibatch(run, stage);
    const sampled = { ...scope.stage, sampling: { ...scope.stage.sampling, temperature } };
    const update = await orGoBack(run, rest, () =>
      timed(run, 'update', () => updatePolicy(run, sampled, scope, groups, onPolicy)),
    );
    if (onPolicy) assertOnPolicy(run, update.totals.logprobDifferenceMax);
    state.step++;
    yield* diagnoseUpdate(run, update, onPolicy);

    // 4. Report.
    const stepSeconds = (run.clock() - start) / 1000;
    const measured = updateMetrics(stage, collected, update, scope.logged, {
      step: state.step,
      stepSeconds,
      tokens: state.tokens,
      sampledPerTrained,
    });
    tokensBefore = state.tokens;
    const metrics = await controlAfterStep(run, stage, measured, { groups, temperature });
    yield* diagnoseEnding(run);
    yield* dueEvaluation(run);
    yield { type: 'step', stage: 'grpo', step: state.step, metrics };
  }
}

/** Copies the policy into the parameter sets that begin with this stage. */
async function startSets({ policy, config, methods, state: { stageIndex } }: TrainingRun): Promise<void> {
  const needed = methods[stageIndex]?.needs.sets;
  const isFirst = config.stages.findIndex(({ stage }) => stage === 'grpo') === stageIndex;
  for (const set of PARAMETER_SET_NAMES.filter((name) => policy.slots.sets.has(name))) {
    const begins = PARAMETER_SETS[set].begins === 'first stage' ? isFirst : needed?.has(set);
    if (begins) await policy.copySet(set, 'policy');
  }
}

/** Tokens of a batch that carry a loss, each counted once. */
function trainedTokens({ methods }: StepScope, groups: readonly CreditedGroup[]): number {
  const acting = groups.filter((group) => actsInUpdate(methods, group));
  return acting.flatMap(({ rollouts }) => rollouts).reduce((sum, rollout) => sum + lossTokens(rollout), 0);
}

function bufferOf(groups: readonly CreditedGroup[], given: GrpoStageConfig, now: GrpoStageConfig): Buffer {
  const { temperature } = now.sampling;
  return { groups, stepsTaken: 0, ...(temperature !== given.sampling.temperature && { temperature }) };
}

async function creditCollected(
  run: TrainingRun,
  stage: GrpoStageConfig,
  scope: StepScope,
  drawn: readonly RolloutGroup[],
): Promise<readonly CreditedGroup[]> {
  const groups = await withSampledFigures(run, stage, scope, drawn);
  const credited = await creditGroups(run.policy, scope, selectGroups(scope, groups));
  const going = scope.methods.needs.sampled.length === 0 ? credited : withoutSampledFigures(credited);
  return withProximalLogprobs(run, stage, scope, going);
}

/**
 * Where credit or update fail, the weights are still those of the step before: the run goes back to it, and can be saved.
 * Only a ledger cannot go back; its run stays at the last checkpoint. What was said of the batch stays said.
 */
async function orGoBack<T>(run: TrainingRun, rest: RestPoint, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!methodsOf(run).needs.ledger) goBack(run, rest);
    throw error;
  }
}

/** Supervised warm start. */
async function* superviseStage(run: TrainingRun, stage: SftStageConfig): AsyncGenerator<TrainEvent> {
  const { state } = run;
  while (state.step < stage.optimizer.maxSteps) {
    const start = run.clock();
    const result = await timed(run, 'sft', () => superviseStep(run, stage));
    state.step++;
    state.tokens += result.completionTokens;
    yield* diagnoseSupervised(run, result);
    const stepSeconds = (run.clock() - start) / 1000;
    const metrics = supervisedMetrics(result, { step: state.step, stepSeconds, tokens: state.tokens });
    yield* dueEvaluation(run);
    yield { type: 'step', stage: 'sft', step: state.step, metrics };
  }
}

/** Whether an update could learn something. @throws RlvrError after too many batches that could not */
function hasSignal(
  { state }: TrainingRun,
  stage: GrpoStageConfig,
  collected: Collected,
  groups: readonly CreditedGroup[],
): boolean {
  if (groups.some((group) => !group.dead)) {
    state.deadBatches = 0;
    return true;
  }
  state.deadBatches++;
  if (state.deadBatches < MOST_DEAD_BATCHES) return false;
  const why = collected.groups.every(hasEqualRewards)
    ? `Every group of ${stage.batch.numGenerations} completions got equal rewards.\n` +
      '  Use an easier or harder task, a longer sft stage, a denser reward, or more num_generations.'
    : `Rewards differ, but what stands between them and the update left no advantage: ${namesBeforeUpdate(stage)}.\n` +
      '  Loosen one of these, or leave it out.';
  throw new RlvrError(
    'nothing-to-learn',
    `step ${state.step + 1}: ${MOST_DEAD_BATCHES} generation batches in a row without a live group; stopped. ${why}`,
    { step: state.step },
  );
}

/** The methods that may take the advantages of a live group. */
function namesBeforeUpdate({ methods }: GrpoStageConfig): string {
  const { rolloutStrategies, groupSteps, advantageEstimator, creditSteps } = methods;
  return [...rolloutStrategies, ...groupSteps, ...advantageEstimator, ...creditSteps]
    .map(({ name }) => name)
    .join(', ');
}

/** The groups of the next optimizer step, and whether their rollouts come from the very weights it changes. */
function takeMinibatch(
  run: TrainingRun,
  stage: GrpoStageConfig,
): { groups: readonly CreditedGroup[]; onPolicy: boolean; temperature: number } {
  const { buffer } = run.state;
  if (buffer === undefined) throw new RangeError('no rollouts to train on');
  const { groups, stepsTaken, temperature = stage.sampling.temperature } = buffer;
  const minibatches = Math.min(stage.batch.optimizerStepsPerGeneration, groups.length);
  const index = stepsTaken % minibatches;
  const taken = stepsTaken + 1;
  run.state.buffer = taken < minibatches * stage.batch.numIterations ? { ...buffer, stepsTaken: taken } : undefined;
  const edge = (i: number): number => Math.round((i * groups.length) / minibatches);
  return { groups: groups.slice(edge(index), edge(index + 1)), onPolicy: stepsTaken === 0, temperature };
}

/** Weights that overflow without a trace in the gradient show here, before anything is learned from their samples. */
function assertFinite({ state }: TrainingRun, groups: readonly RolloutGroup[]): void {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const bad = rollouts.flatMap(({ logprobs }) => logprobs.find((value) => !Number.isFinite(value)) ?? []).at(0);
  if (bad === undefined) return;
  throw new NumericsError(
    'non-finite',
    `step ${state.step + 1}: the policy samples tokens of log-prob ${bad}: its weights are no longer usable.\n` +
      '  Lower learning_rate, and start again or go on from an earlier checkpoint.',
    { step: state.step, value: String(bad) },
  );
}

/**
 * Largest difference of sampler and scorer that a backend may show on the same weights, in nats. Our kernels aim at 0;
 * a driver that compiles WGSL may still contract two kernels' sums differently. tfjs sums as it likes.
 */
const OFF_POLICY_LIMITS: Readonly<Record<string, number>> = {
  webgpu: 1e-4,
  'tfjs:cpu': 1e-3,
  'tfjs:wasm': 1e-3,
  'tfjs:webgpu': 1e-3,
  'tfjs:tensorflow': 1e-3,
};

/** One engine samples and trains: on-policy, the scorer's log-probs are the sampler's, bit for bit. */
function assertOnPolicy(run: TrainingRun, largest: number): void {
  const limit = OFF_POLICY_LIMITS[run.policy.engine.backend] ?? 0;
  if (largest <= limit) return;
  throw new NumericsError(
    'off-policy',
    `step ${run.state.step + 1}: sampler and scorer disagree by ${largest} nats on the same weights — the ` +
      `${run.policy.engine.backend} backend promises ${limit === 0 ? '0' : `at most ${limit}`}. Please report this with the run's fingerprint.`,
    { largest },
  );
}

async function* dueEvaluation(run: TrainingRun): AsyncGenerator<TrainEvent> {
  const { state, config } = run;
  const { evalSteps } = stageOf(run).evaluation;
  const last = state.stageIndex === config.stages.length - 1;
  if (last && isStageOver(run)) yield* evaluation(run, 'final');
  else if (evalSteps > 0 && state.step % evalSteps === 0) yield* evaluation(run, 'periodic');
}

async function* evaluation(run: TrainingRun, moment: EvaluationMoment): AsyncGenerator<TrainEvent> {
  const { state } = run;
  const stage = stageOf(run);
  const result = await evaluate(run, stage);
  if (moment === 'baseline') state.baseline = result;
  if (moment === 'final') state.final = result;
  const { stageIndex, step } = state;
  state.best = betterOf(state.best, result, { stageIndex, stage: stage.stage, step }, run.config);
  yield { type: 'evaluation', moment, stage: stage.stage, step: state.step, evaluation: result };
  yield* diagnoseEvaluation(run, result);
  if (stage.stage !== 'grpo') return;
  const wasOver = isStageOver(run);
  await controlAfterEvaluation(run, stage, result);
  if (wasOver || !isStageOver(run)) return;
  yield* diagnoseEnding(run);
  if (stageIndex === run.config.stages.length - 1) state.final = result; // of the weights that stay
}
