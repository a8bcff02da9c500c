/**
 * The training loop: collect rollouts → verify → advantages → update → report.
 *
 * A stream of typed events. At a `step` event the run is at rest: a listener may checkpoint it, or stop it by not
 * asking for more. Between two of them it can be cut off (`interruption.ts`).
 */

import { enterStage } from '../diagnostics/watch.ts';
import { commonestWrong } from '../diagnostics/wrong_answers.ts';
import { NumericsError, RlvrError } from '../errors.ts';
import { type Observation, observationsOf } from '../methods/ledger.ts';
import { PARAMETER_SET_NAMES, PARAMETER_SETS } from '../methods/parameter_sets.ts';
import type { Collected, CreditedGroup, Evaluation, RolloutGroup } from '../methods/records.ts';
import type { GrpoStageConfig, SftStageConfig } from '../methods/stage.ts';
import { hasEqualRewards } from '../methods/support/credit/baseline.ts';
import { lossTokens } from '../methods/tokens.ts';
import { ledger as ledgerUse } from '../methods/uses/ledger.ts';
import { states } from '../methods/uses/states.ts';
import { betterOf } from './best.ts';
import { controlAfterEvaluation, controlAfterStep } from './control.ts';
import { diagnoseEnding, diagnoseStart, diagnoseStop, wrongAnswers } from './diagnose.ts';
import type { Engine } from './engine.ts';
import { askProblems, type Evaluator, evaluationOf } from './evaluate.ts';
import type { EvaluationEvent, EvaluationMoment, TrainEvent } from './events.ts';
import { type Interruptible, Points } from './interruption.ts';
import { endingOf, type Journal, type RunState, timed } from './journal.ts';
import { supervisedMetrics, updateMetrics } from './metrics.ts';
import { bufferOf, needsBatch, stalenessOf, takeBatch, takeMinibatch, waitingBatch } from './queue.ts';
import { goBack, type RestPoint, restPoint } from './rest_point.ts';
import { collectGroups } from './rollout/collect.ts';
import { isStageOver, stageOf, type TrainingRun } from './run.ts';
import { scoreProximal } from './score/proximal.ts';
import { withoutSampledFigures, withSampledFigures } from './score/sampled_figures.ts';
import { openStep, openSupervised, type Step } from './step.ts';
import { actsInUpdate, creditGroups, selectGroups } from './update/credit.ts';
import { superviseStep } from './update/supervised.ts';
import { updatePolicy } from './update/update.ts';

/** What is said of batches, steps and evaluations: a page loads it once there are some. */
const training = (): Promise<typeof import('./diagnose_training.ts')> => import('./diagnose_training.ts');

/** Generation batches in a row without a live group after which a run gives up. */
const MOST_DEAD_BATCHES = 10;

/** Trains from where the run is to the end of its last stage. */
export async function* train(run: TrainingRun, options: Interruptible = {}): AsyncGenerator<TrainEvent> {
  const { config } = run;
  const { state } = run.journal;
  const points = new Points(run, options);
  for (; state.stageIndex < config.stages.length; nextStage(state)) {
    const stage = stageOf(run);
    const { step, stageIndex: index } = state;
    yield { type: 'stage', stage: stage.stage, index, step, maxSteps: stage.optimizer.maxSteps };
    points.mark();
    if (!isStageOver(run)) state.final = undefined; // a run that had finished takes more steps
    const isLast = index === config.stages.length - 1;
    try {
      if (!state.isBegun) yield* begin(run, points);
      yield* report(run, points);
      yield* stage.stage === 'sft' ? superviseStage(run, stage, points) : grpoStage(run, stage, points);
      if (isLast && state.final === undefined) {
        points.mark();
        yield* evaluation(run, 'final', points);
      }
    } catch (error) {
      yield* diagnoseStop(run, error);
      throw error;
    }
    if (isLast) break; // the run stays at the end of the last stage
  }
  yield { type: 'end', step: state.step };
}

function nextStage(state: RunState): void {
  if (endingOf(state) !== undefined) state.buffer = undefined; // the next stage samples its own
  state.queue = [];
  state.stageIndex++;
  state.step = 0;
  state.isBegun = false;
  state.steering = { ...state.steering, settings: {}, momentsFrom: 0 };
  enterStage(state.watch, state.seconds);
}

/** What comes before the first step of a stage. */
async function* begin(run: TrainingRun, points: Points): AsyncGenerator<TrainEvent> {
  yield* diagnoseStart(run, run.remarks);
  if (stageOf(run).stage === 'grpo') {
    await startSets(run);
    yield* evaluation(run, 'baseline', points);
  }
  run.journal.state.isBegun = true;
}

/** Reports the step that was taken last, where that is due, after the evaluation that follows it. */
async function* report(run: TrainingRun, points: Points): AsyncGenerator<TrainEvent> {
  const { state } = run.journal;
  const { unreported } = state;
  if (unreported === undefined) return;
  if (isEvaluationDue(run)) {
    points.mark();
    yield* evaluation(run, 'periodic', points);
  }
  state.unreported = undefined;
  yield { type: 'step', stage: stageOf(run).stage, step: state.step, metrics: unreported };
}

/**
 * Reinforcement: one generation batch after the other, each used for `numIterations` passes. Where the stage's batches wait,
 * all that is done to one before its first update is done when it is sampled: it is credited by the policy that sampled it.
 */
async function* grpoStage(run: TrainingRun, stage: GrpoStageConfig, points: Points): AsyncGenerator<TrainEvent> {
  const { engine, journal, ledger } = run;
  const { state, clock } = journal;
  let tokensBefore = state.tokens;
  let tokensTrained = 0;
  let marked: number | undefined;
  let start: number | undefined;
  while (!isStageOver(run)) {
    if (marked !== state.step) points.mark(); // a batch without a gradient is no point: the next one is of the same step
    marked = state.step;
    start ??= clock();
    const sampling = openStep(run, stage);
    const rest = restPoint(journal, sampling.methods);

    // 1. Roll out G completions per prompt, verify and reward them; the stage's strategies may sample again.
    let collected: Collected | undefined;
    if (needsBatch(state, stage)) {
      collected = await points.interruptible(() => collectGroups(engine, sampling, journal));
      assertFinite(sampling, collected.groups);
      yield* (await training()).diagnoseBatch(run, collected, sampling.logged);

      // 2. Credit: advantages of all groups at once, then what shapes and masks them.
      const drawn = collected.groups;
      const observations = observationsFor(sampling, collected);
      if (stage.staleness === undefined) ledger.record(observations, state.step);
      const groups = await points.interruptible(() =>
        orGoBack(journal, sampling, rest, () => creditCollected(engine, sampling, journal, drawn)),
      );
      yield { type: 'rollouts', step: state.step + 1, collected, groups };
      tokensTrained += trainedTokens(sampling, groups);
      if (hasSignal(state, stage, collected, groups)) {
        const { weightsVersion } = engine.generator;
        const waiting = waitingBatch(sampling, stage, { groups, weightsVersion, observations });
        state.queue = [...state.queue, waiting];
      } else {
        if (stage.staleness !== undefined) ledger.record(observations, state.step);
        continue; // without a gradient, the optimizer's momentum alone would move the weights
      }
      if (needsBatch(state, stage)) continue;
    }

    // 3. Update: the next minibatch of the buffer.
    const isFirst = state.buffer === undefined;
    if (isFirst) takeBatch(journal, ledger);
    const step = stage.staleness === undefined ? sampling : openStep(run, stage); // at the temperature of the batch
    const staleness = stalenessOf(bufferOf(state), engine.generator.weightsVersion);
    const isFresh = isFirst && staleness === 0;
    const { groups, update } = await points.interruptible(() =>
      orGoBack(journal, step, rest, async () => {
        if (isFirst) await scoreProximal(engine, step, journal, staleness > 0);
        const groups = takeMinibatch(journal, step);
        const update = await timed(journal, 'update', () => updatePolicy(engine, step, journal, groups, isFresh));
        return { groups, update };
      }),
    );
    if (isFresh) assertOnPolicy(engine, step, update.totals.logprobDifferenceMax);
    state.step++;
    yield* (await training()).diagnoseUpdate(run, update, isFresh);

    // 4. Report.
    const stepSeconds = (clock() - start) / 1000;
    const logged = step === sampling ? step.logged : { ...sampling.logged, ...step.logged };
    const measured = updateMetrics(stage, collected, update, logged, {
      step: state.step,
      stepSeconds,
      tokens: state.tokens,
      ...(collected && { sampledPerTrained: (state.tokens - tokensBefore) / Math.max(1, tokensTrained) }),
      ...(stage.staleness !== undefined && { staleness }),
    });
    [tokensBefore, tokensTrained, start] = [state.tokens, 0, undefined];
    const { temperature } = step.stage.sampling;
    state.unreported = await controlAfterStep(run, openStep(run, stage), measured, { groups, temperature });
    yield* diagnoseEnding(run);
    yield* report(run, points);
  }
}

/** What the ledger learns of a batch, where a method reads it. */
function observationsFor({ methods: { uses } }: Step, { unaided, groups }: Collected): readonly Observation[] {
  return uses.has(ledgerUse()) ? observationsOf(unaided ?? groups, uses.has(ledgerUse({ history: true }))) : [];
}

/** Copies the policy into the parameter sets that begin with this stage. */
async function startSets({ engine: { policy }, config, methods, journal }: TrainingRun): Promise<void> {
  const { stageIndex } = journal.state;
  const needed = methods[stageIndex]?.uses.sets;
  const isFirst = config.stages.findIndex(({ stage }) => stage === 'grpo') === stageIndex;
  for (const set of PARAMETER_SET_NAMES.filter((name) => policy.slots.sets.has(name))) {
    const begins = PARAMETER_SETS[set].begins === 'first stage' ? isFirst : needed?.has(set);
    if (begins) await policy.copySet(set, 'policy');
  }
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

/**
 * Where credit or update fail, the weights are still those of the step before: the run returns to it, and can be saved.
 * Only a ledger cannot go back; its run stays at the last checkpoint. What was said of the batch stays said.
 */
async function orGoBack<T>(journal: Journal, { methods }: Step, rest: RestPoint, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!methods.uses.has(ledgerUse())) goBack(journal, methods, rest);
    throw error;
  }
}

/** Supervised warm start. */
async function* superviseStage(run: TrainingRun, stage: SftStageConfig, points: Points): AsyncGenerator<TrainEvent> {
  const { engine, journal } = run;
  const { state, clock } = journal;
  const step = openSupervised(run, stage);
  while (state.step < stage.optimizer.maxSteps) {
    points.mark();
    const start = clock();
    const result = await points.interruptible(() => timed(journal, 'sft', () => superviseStep(engine, step, journal)));
    state.step++;
    state.tokens += result.completionTokens;
    yield* (await training()).diagnoseSupervised(run, result);
    const stepSeconds = (clock() - start) / 1000;
    state.unreported = supervisedMetrics(result, { step: state.step, stepSeconds, tokens: state.tokens });
    yield* report(run, points);
  }
}

/** Whether an update could learn something. @throws RlvrError after too many batches that could not */
function hasSignal(
  state: RunState,
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
  state.deadBatches = 0; // a resume tries as many
  const why = collected.groups.every(hasEqualRewards)
    ? `Every group of ${stage.batch.numGenerations} completions got equal rewards.\n` +
      '  Use an easier or harder task, a longer sft stage, a denser reward, or more num_generations.' +
      shownWrong(collected)
    : `Rewards differ, but the steps between them and the update left no advantage: ${namesBeforeUpdate(stage)}.\n` +
      '  Loosen one of these, or leave it out.';
  throw new RlvrError(
    'nothing-to-learn',
    `step ${state.step + 1}: ${MOST_DEAD_BATCHES} generation batches in a row without a live group; stopped. ${why}`,
    { step: state.step },
  );
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

/** One engine samples and trains: on-policy, the scorer's log-probs are the sampler's, bit for bit. */
function assertOnPolicy({ policy }: Engine, { number }: Step, largest: number): void {
  const { backend, samplerTolerance: limit } = policy.engine;
  if (largest <= limit) return;
  throw new NumericsError(
    'off-policy',
    `step ${number + 1}: sampler and scorer disagree by ${largest} nats on the same weights — the ` +
      `${backend} backend promises ${limit === 0 ? '0' : `at most ${limit}`}. Please report this with the run's fingerprint.`,
    { largest },
  );
}

/** Whether an evaluation comes between the newest step and its report. */
function isEvaluationDue(run: TrainingRun): boolean {
  const { state } = run.journal;
  const { evalSteps } = stageOf(run).evaluation;
  const isEnd = state.stageIndex === run.config.stages.length - 1 && isStageOver(run); // its evaluation follows the step
  return !isEnd && evalSteps > 0 && state.step % evalSteps === 0;
}

async function* evaluation(run: TrainingRun, moment: EvaluationMoment, points: Points): AsyncGenerator<TrainEvent> {
  const { config, engine } = run;
  const { state } = run.journal;
  const stage = stageOf(run);
  const event = await points.interruptible(() => evaluationEvent(run, moment));
  const { evaluation: result } = event;
  if (moment === 'baseline') state.baseline = result;
  if (moment === 'final') state.final = result;
  const { stageIndex, step } = state;
  state.best = betterOf(state.best, result, { stageIndex, stage: stage.stage, step }, config);
  yield event;
  yield* (await training()).diagnoseEvaluation(run, engine.tasks, result);
  if (stage.stage !== 'grpo') return;
  const wasOver = isStageOver(run);
  await controlAfterEvaluation(run, openStep(run, stage), result);
  if (wasOver || !isStageOver(run)) return;
  yield* diagnoseEnding(run);
  if (stageIndex === config.stages.length - 1) state.final = result; // of the weights that stay
}

/** An evaluation of the run as it is, with the time that it took. */
export async function evaluationEvent(run: TrainingRun, moment: EvaluationMoment): Promise<EvaluationEvent> {
  const { step, seconds } = run.journal.state;
  const before = seconds.eval;
  const problems = await timed(run.journal, 'eval', () => askProblems(evaluatorOf(run), stageOf(run)));
  const evaluation = evaluationOf(evaluatorOf(run), stageOf(run), problems);
  const { stage } = stageOf(run);
  return { type: 'evaluation', moment, stage, step, evaluation, problems, seconds: seconds.eval - before };
}

/** Evaluates the policy of a run as it is, on the problems of its stage. Does not move the run's counters. */
export async function evaluateRun(run: TrainingRun): Promise<Evaluation> {
  return (await evaluationEvent(run, 'requested')).evaluation;
}

function evaluatorOf({ engine, config, figures, journal }: TrainingRun): Evaluator {
  return { engine, figures: figures[journal.state.stageIndex] ?? [], seed: config.seed };
}
