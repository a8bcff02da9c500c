/**
 * The training loop: collect rollouts → verify → advantages → update → report.
 *
 * A stream of typed events. At a `step` event the run is at rest: a listener may checkpoint it, or stop it by not
 * asking for more. Between two of them it can be cut off (`interruption.ts`).
 */

import { enterStage } from '../diagnostics/watch.ts';
import { PARAMETER_SET_NAMES, PARAMETER_SETS } from '../methods/parameter_sets.ts';
import { takeOver } from '../methods/part_states.ts';
import type { Evaluation, StepMetrics } from '../methods/records.ts';
import type { GrpoStageConfig, SftStageConfig } from '../methods/stage.ts';
import { betterOf } from './best.ts';
import { controlAfterEvaluation, controlAfterStep } from './control.ts';
import { diagnoseEnding, diagnoseStart, diagnoseStop } from './diagnose.ts';
import { askProblems, type Evaluator, evaluationOf } from './evaluate.ts';
import type { EvaluationEvent, EvaluationMoment, TrainEvent } from './events.ts';
import { gatherBatch, lineOf, type Reinforced, training } from './gather.ts';
import { type Interruptible, Points } from './interruption.ts';
import { endingOf, timed } from './journal.ts';
import { learnBeside, learnInTurn, samplesBeside } from './learn.ts';
import { supervisedMetrics, updateMetrics } from './metrics.ts';
import { needsBatch } from './queue.ts';
import { isStageOver, stageOf, type TrainingRun } from './run.ts';
import { openStep, openSupervised } from './step.ts';
import { superviseStep } from './update/supervised.ts';
import { zeroMoments } from './zero_moments.ts';

/** Trains from where the run is to the end of its last stage. */
export async function* train(run: TrainingRun, options: Interruptible = {}): AsyncGenerator<TrainEvent> {
  const { config } = run;
  const { state } = run.journal;
  const points = new Points(run, options);
  for (; state.stageIndex < config.stages.length; nextStage(run)) {
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

function nextStage({ journal: { state }, methods }: Pick<TrainingRun, 'journal' | 'methods'>): void {
  if (endingOf(state) !== undefined) state.buffer = undefined; // the next stage samples its own
  state.queue = [];
  const before = methods[state.stageIndex++];
  const own = methods[state.stageIndex];
  if (before !== undefined && own !== undefined) takeOver(before, own);
  state.step = 0;
  state.isBegun = false;
  state.steering = { ...state.steering, settings: {}, momentsFrom: 0 };
  enterStage(state.watch, state.seconds);
}

/** What comes before the first step of a stage. */
async function* begin(run: TrainingRun, points: Points): AsyncGenerator<TrainEvent> {
  yield* diagnoseStart(run, run.remarks);
  const { stage, resetOptimizer = false } = stageOf(run);
  if (resetOptimizer) zeroMoments(run.engine.policy);
  if (stage === 'grpo') {
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
  yield* (await training()).diagnoseActs(run, unreported);
  state.unreported = undefined;
  yield { type: 'step', stage: stageOf(run).stage, step: state.step, metrics: unreported };
}

/**
 * Reinforcement: one generation batch after the other, each used for `numIterations` passes. Where the stage's batches wait,
 * all that is done to one before its first update is done when it is sampled: it is credited by the policy that sampled it.
 */
async function* grpoStage(run: TrainingRun, stage: GrpoStageConfig, points: Points): AsyncGenerator<TrainEvent> {
  const { journal } = run;
  const { state, clock } = journal;
  const under: Reinforced = { ...run, stage, openStep: (batches) => openStep(run, stage, batches) };
  let tokensBefore = state.tokens;
  let tokensTrained = 0;
  let before: StepMetrics[] = []; // of this step's batches, those that no step followed at once
  let marked: number | undefined;
  let start: number | undefined;
  while (!isStageOver(run)) {
    if (marked !== state.step) points.mark(); // a batch that waits is no point: the next one is of the same step
    marked = state.step;
    start ??= clock();

    // 1. Roll out G completions per prompt, verify, reward and credit them. 2. Update: the next minibatch of the buffer.
    const isDue = needsBatch(state, stage);
    if (isDue && state.queue.length < (stage.staleness ?? 0)) {
      const ahead = yield* gatherBatch(under, { points });
      const metrics = lineOf(under, { ...ahead, groups: ahead.batch.groups }, 'ahead');
      yield { type: 'batch', stage: 'grpo', step: state.step + 1, metrics };
      state.queue = [...state.queue, ahead.batch];
      before.push(...ahead.dead, metrics);
      tokensTrained += ahead.trainedTokens;
      continue;
    }
    const { gathered, learned, update } = yield* isDue && samplesBeside(under)
      ? learnBeside(under, points)
      : learnInTurn(under, points, isDue);
    tokensTrained += gathered?.trainedTokens ?? 0;
    const { step, groups, isFresh, staleness } = learned;
    state.step++;
    yield* (await training()).diagnoseUpdate(run, update, isFresh);

    // 3. Report.
    const stepSeconds = (clock() - start) / 1000;
    const logged = gathered === undefined ? step.logged : { ...gathered.sampling.logged, ...step.logged };
    const sampled = gathered && { collected: gathered.collected, groups: gathered.batch.groups };
    const measured = updateMetrics(stage, sampled, update, logged, {
      step: state.step,
      stepSeconds,
      tokens: state.tokens,
      ...(gathered && { sampledPerTrained: (state.tokens - tokensBefore) / Math.max(1, tokensTrained) }),
      ...(stage.staleness !== undefined && { staleness }),
    });
    const batches = [...before, ...(gathered?.dead ?? [])];
    [tokensBefore, tokensTrained, before, start] = [state.tokens, 0, [], undefined];
    const { temperature } = step.stage.sampling;
    state.unreported = await controlAfterStep(run, openStep(run, stage), measured, { groups, temperature, batches });
    yield* diagnoseEnding(run);
    yield* report(run, points);
  }
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
