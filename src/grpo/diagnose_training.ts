/**
 * Feeds a run to the diagnostics and returns their remarks as events. A page loads this with its first batch, step or
 * evaluation.
 */
import { POINT_KEYS } from '../config/keys/method_keys.ts';
import type { TaskSet } from '../data/task_set.ts';
import { neverActed, rememberActs } from '../diagnostics/acts.ts';
import { diagnosticsFor } from '../diagnostics/diagnostic.ts';
import { trainingSince } from '../diagnostics/history.ts';
import { batchRecord, evaluationRecord, supervisedRecord, updateRecord } from '../diagnostics/records.ts';
import { look, type Observation, say, standing } from '../diagnostics/watch.ts';
import { tellingsOf } from '../methods/chosen.ts';
import type { Acting } from '../methods/effect/acting.ts';
import { helpedOrigins } from '../methods/members.ts';
import type { Collected, Evaluation, StepMetrics, SupervisedResult, UpdateResult } from '../methods/records.ts';
import { type Diagnosed, eventOf, membersOf, wrongAnswers } from './diagnose.ts';
import type { TrainEvent } from './events.ts';
import { notSolving, solving } from './rollout/kinds.ts';
import { isStageOver, stageOf } from './run.ts';

/**
 * Runs before the optimizer step that the batch is for, which may never come. @param logged by the methods of the stage
 */
export function diagnoseBatch(
  run: Diagnosed,
  collected: Collected,
  logged: Readonly<Record<string, number>>,
): Promise<TrainEvent[]> {
  const { step, watch, seconds } = run.journal.state;
  const groups = solving(collected.groups);
  const judging = notSolving(collected.groups);
  const helps = helpedOrigins(membersOf(run));
  const surroundings = { before: watch.history.seconds, now: seconds, judging, logged, helps };
  const record = batchRecord(step + 1, { ...collected, groups }, surroundings);
  watch.history.seconds = { ...seconds };
  const problems = groups.map(({ item }) => item.key);
  return observed(run, step + 1, { after: 'batch', record, problems, wrong: () => wrongAnswers(groups) });
}

/** @param onPolicy  the rollouts came from the very weights that the update changed */
export function diagnoseUpdate(run: Diagnosed, result: UpdateResult, onPolicy: boolean): Promise<TrainEvent[]> {
  const { step } = run.journal.state;
  return observed(run, step, { after: 'update', record: updateRecord(step, result, onPolicy) });
}

export function diagnoseSupervised(run: Diagnosed, result: SupervisedResult): Promise<TrainEvent[]> {
  const { step } = run.journal.state;
  return observed(run, step, { after: 'update', record: supervisedRecord(step, result) });
}

export function diagnoseEvaluation(run: Diagnosed, tasks: TaskSet, evaluation: Evaluation): Promise<TrainEvent[]> {
  const { step, watch } = run.journal.state;
  const record = evaluationRecord(step, evaluation, trainingSince(watch.history), chanceOf(tasks));
  return observed(run, step, { after: 'evaluation', record });
}

/** Tracks which methods of the stage have acted; after its last step, reports those that never did. */
export function diagnoseActs(run: Diagnosed, newest: StepMetrics): TrainEvent[] {
  const { step, watch } = run.journal.state;
  if (watch.acts === undefined) return [];
  rememberActs(watch.acts, actingOf(run), newest);
  if (!isStageOver(run)) return [];
  const diagnosis = neverActed(watch.acts, actingOf(run), step, (point) =>
    point === 'demonstrations' ? point : POINT_KEYS[point].yaml,
  );
  return diagnosis === undefined ? [] : [eventOf(run, step, say(watch, stageOf(run), step, diagnosis))];
}

function actingOf({ methods, demonstrations = [], journal: { state } }: Diagnosed): readonly Acting[] {
  return (methods[state.stageIndex] ?? demonstrations[state.stageIndex])?.acting ?? [];
}

/** The remedy that the diagnoses of dead batches suggest; undefined if there was no diagnosis. */
export async function remedyOfDead(run: Diagnosed): Promise<string | undefined> {
  const list = await run.registries.diagnostics?.load();
  if (list === undefined) return undefined;
  const stage = stageOf(run);
  const { watch } = run.journal.state;
  const codes = standing(watch, stage);
  const all = diagnosticsFor(list, stage, tellingsOf(membersOf(run)));
  const why = all.find(({ code }) => list.deadReasons.includes(code) && codes.includes(code));
  return why?.look(watch.history)?.remedy;
}

/** Weighs tasks as an evaluation does. */
function chanceOf({ shares }: TaskSet): number {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  return shares.reduce((sum, { task, weight }) => sum + (weight / total) * task.chance, 0);
}

async function observed(run: Diagnosed, step: number, observation: Observation): Promise<TrainEvent[]> {
  const { grpo = [], sft = [] } = (await run.registries.diagnostics?.load()) ?? {};
  const stage = stageOf(run);
  const diagnostics = diagnosticsFor({ grpo, sft }, stage, tellingsOf(membersOf(run)));
  const diagnoses = look(run.journal.state.watch, stage, step, observation, diagnostics);
  return diagnoses.map((diagnosis) => eventOf(run, step, diagnosis));
}
