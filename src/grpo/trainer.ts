/**
 * Trains a run to its end, stage by stage.
 *
 * It yields typed events. At a `step` event the run is at rest: a listener may checkpoint it, or stop it by not asking
 * for more. Between two events it can be cut off (`interruption.ts`).
 */

import { enterStage } from '../diagnostics/watch.ts';
import { PARAMETER_SET_NAMES, PARAMETER_SETS } from '../methods/parameter_sets.ts';
import { takeOver } from '../methods/part_states.ts';
import type { SftStageConfig } from '../methods/stage.ts';
import { teacherDistributions } from '../methods/uses/models.ts';
import { zeroMoments } from './control.ts';
import { diagnoseStart, diagnoseStop } from './diagnose.ts';
import type { TrainEvent } from './events.ts';
import { grpoStage } from './grpo_stage.ts';
import { type Interruptible, Points } from './interruption.ts';
import { endingOf, timed } from './journal.ts';
import { supervisedMetrics } from './metrics.ts';
import { evaluation, report, training } from './report.ts';
import { isStageOver, stageOf, type TrainingRun } from './run.ts';
import { openSupervised } from './step.ts';
import { superviseStep } from './update/supervised.ts';

export { evaluateRun, evaluationEvent } from './report.ts';

/** Trains from where the run is to the end of its last stage. */
export async function* train(run: TrainingRun, options: Interruptible = {}): AsyncGenerator<TrainEvent> {
  const { config } = run;
  const { state } = run.journal;
  const points = new Points(run, options);
  for (; state.stageIndex < config.stages.length; nextStage(run)) {
    const { stage, optimizer } = stageOf(run);
    const { step, stageIndex: index } = state;
    yield { type: 'stage', stage, index, step, maxSteps: optimizer.maxSteps };
    points.mark();
    if (!isStageOver(run)) state.final = undefined; // a run that had finished takes more steps
    try {
      yield* points.cutOff(trainStage(run, points));
    } catch (error) {
      yield* diagnoseStop(run, error);
      throw error;
    }
    if (index === config.stages.length - 1) break; // the run stays at the end of the last stage
  }
  yield { type: 'end', step: state.step };
}

/** Trains to the end of a stage. */
async function* trainStage(run: TrainingRun, points: Points): AsyncGenerator<TrainEvent> {
  const { state } = run.journal;
  const stage = stageOf(run);
  if (!state.isBegun) yield* begin(run, points);
  yield* report(run, points);
  yield* stage.stage === 'sft' ? superviseStage(run, stage, points) : grpoStage(run, stage, points);
  const isLast = state.stageIndex === run.config.stages.length - 1;
  if (isLast && state.final === undefined) yield* evaluation(run, 'final', points);
}

function nextStage({ journal: { state }, methods }: Pick<TrainingRun, 'journal' | 'methods'>): void {
  if (endingOf(state) !== undefined) state.buffer = undefined; // the next stage samples its own
  state.queue = [];
  const before = methods[state.stageIndex++];
  const stageMethods = methods[state.stageIndex];
  if (before !== undefined && stageMethods !== undefined) takeOver(before, stageMethods);
  state.step = 0;
  state.isBegun = false;
  state.steering = { ...state.steering, settings: {}, momentsFrom: 0 };
  enterStage(state.watch, state.seconds);
}

/** Prepares the first step of a stage. */
async function* begin(run: TrainingRun, points: Points): AsyncGenerator<TrainEvent> {
  const current = stageOf(run);
  const { stage, optimizer, resetOptimizer = false } = current;
  const { stageIndex } = run.journal.state;
  const remarks = [...run.remarks];
  if (current.stage === 'grpo' && run.methods[stageIndex]?.uses.has(teacherDistributions))
    remarks.push(await (await import('./score/overlap.ts')).teacherOverlap(run, current));
  yield* diagnoseStart(run, remarks);
  const before = run.config.stages[stageIndex - 1];
  // Moments of one optimizer are none of another's: a second moment that was never filled divides by nearly 0.
  const isOther = before !== undefined && before.optimizer.optim !== optimizer.optim;
  if (resetOptimizer || isOther) zeroMoments(run.engine.policy);
  if (stage === 'grpo') {
    await startSets(run);
    yield* evaluation(run, 'baseline', points);
  }
  run.journal.state.isBegun = true;
}

/** Copies the policy into the parameter sets that begin with this stage. */
async function startSets({
  engine: { policy },
  config,
  methods,
  journal,
}: Pick<TrainingRun, 'engine' | 'config' | 'methods' | 'journal'>): Promise<void> {
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
    const result = await timed(journal, 'sft', () => superviseStep(engine, step, journal));
    state.step++;
    state.tokens += result.completionTokens;
    yield* await (await training()).diagnoseSupervised(run, result);
    const stepSeconds = (clock() - start) / 1000;
    state.unreported = supervisedMetrics(result, { step: state.step, stepSeconds, tokens: state.tokens });
    yield* report(run, points);
  }
}
