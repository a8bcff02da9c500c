/** Reports steps and evaluations, and applies what follows from an evaluation. */
import type { Evaluation } from '../methods/records.ts';
import { betterOf } from './best.ts';
import { controlAfterEvaluation } from './control.ts';
import { diagnoseEnding } from './diagnose.ts';
import { askProblems, type Evaluator, evaluationOf } from './evaluate.ts';
import type { EvaluationEvent, EvaluationMoment, TrainEvent } from './events.ts';
import type { Points } from './interruption.ts';
import { timed } from './journal.ts';
import { isStageOver, type Progress, stageOf, type TrainingRun } from './run.ts';
import { openStep } from './step.ts';

/** Diagnostics of batches, steps and evaluations, which a page loads when the first arrives. */
export const training = (): Promise<typeof import('./diagnose_training.ts')> => import('./diagnose_training.ts');

/** Reports the last step, after its evaluation if one is due. */
export async function* report(run: TrainingRun, points: Points): AsyncGenerator<TrainEvent> {
  const { state } = run.journal;
  const { unreported } = state;
  if (unreported === undefined) return;
  if (isEvaluationDue(run)) yield* evaluation(run, 'periodic', points);
  yield* (await training()).diagnoseActs(run, unreported);
  state.unreported = undefined;
  yield { type: 'step', stage: stageOf(run).stage, step: state.step, metrics: unreported };
}

/** What an evaluation reads of a run. */
type Evaluated = Pick<TrainingRun, 'config' | 'engine' | 'figures' | 'journal'>;

/** Whether an evaluation comes between the newest step and its report. */
function isEvaluationDue(run: Progress): boolean {
  const { state } = run.journal;
  const { evalSteps } = stageOf(run).evaluation;
  const isEnd = state.stageIndex === run.config.stages.length - 1 && isStageOver(run); // its evaluation follows the step
  return !isEnd && evalSteps > 0 && state.step % evalSteps === 0;
}

/** Evaluates, and lets the controllers of the stage act on it. */
export async function* evaluation(
  run: TrainingRun,
  moment: EvaluationMoment,
  points: Points,
): AsyncGenerator<TrainEvent> {
  const { config, engine } = run;
  const { state } = run.journal;
  const stage = stageOf(run);
  if (moment !== 'baseline') points.mark();
  const event = await evaluationEvent(run, moment);
  points.pass();
  const { evaluation: result } = event;
  if (moment === 'baseline') state.baseline = result;
  if (moment === 'final') state.final = result;
  const { stageIndex, step } = state;
  state.best = betterOf(state.best, result, { stageIndex, stage: stage.stage, step }, config);
  yield event;
  yield* await (await training()).diagnoseEvaluation(run, engine.tasks, result);
  if (stage.stage !== 'grpo') return;
  const wasOver = isStageOver(run);
  await controlAfterEvaluation(run, openStep(run, stage), result);
  if (wasOver || !isStageOver(run)) return;
  yield* diagnoseEnding(run);
  if (stageIndex === config.stages.length - 1) state.final = result; // of the weights that stay
}

/** An evaluation of the run as it is, with the time that it took. */
export async function evaluationEvent(run: Evaluated, moment: EvaluationMoment): Promise<EvaluationEvent> {
  const { step, seconds } = run.journal.state;
  const before = seconds.eval;
  const problems = await timed(run.journal, 'eval', () => askProblems(evaluatorOf(run), stageOf(run)));
  const evaluation = evaluationOf(evaluatorOf(run), stageOf(run), problems);
  const { stage } = stageOf(run);
  return { type: 'evaluation', moment, stage, step, evaluation, problems, seconds: seconds.eval - before };
}

/** Evaluates the policy of a run as it is, on the problems of its stage. Does not move the run's counters. */
export async function evaluateRun(run: Evaluated): Promise<Evaluation> {
  return (await evaluationEvent(run, 'requested')).evaluation;
}

function evaluatorOf({ engine, config, figures, journal }: Evaluated): Evaluator {
  return { engine, figures: figures[journal.state.stageIndex] ?? [], seed: config.seed };
}
