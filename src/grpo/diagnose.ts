/** Tells the diagnostics what a run does, and gives what they have to say as events. */

import type { TaskSet } from '../data/task_set.ts';
import { COMBINATION, STAGE_ENDED, STOP_CODES } from '../diagnostics/catalogue.ts';
import type { Diagnosis } from '../diagnostics/diagnostic.ts';
import { trainingSince } from '../diagnostics/history.ts';
import { batchRecord, evaluationRecord, supervisedRecord, updateRecord } from '../diagnostics/records.ts';
import { type Observation, observe, say } from '../diagnostics/watch.ts';
import type { WrongAnswer } from '../diagnostics/wrong_answers.ts';
import { RlvrError } from '../errors.ts';
import { tellingsOf } from '../methods/chosen.ts';
import { helpedOrigins } from '../methods/members.ts';
import type { Member } from '../methods/method.ts';
import type { Collected, Evaluation, RolloutGroup, SupervisedResult, UpdateResult } from '../methods/records.ts';
import type { TrainEvent } from './events.ts';
import { endingOf } from './journal.ts';
import { notSolving, solving } from './rollout/kinds.ts';
import { type Progress, type RunRemark, stageOf } from './run.ts';

/** A run, as the diagnostics see it. */
type Diagnosed = Progress & { readonly methods: readonly ({ readonly members: readonly Member[] } | undefined)[] };

/** @param of  remarks on the methods of all stages */
export function diagnoseStart(run: Diagnosed, of: readonly RunRemark[]): TrainEvent[] {
  const { stageIndex, step, watch } = run.journal.state;
  const remarks = of.filter(({ stage }) => stage === stageIndex);
  const ofMethods = remarks.map(({ level, recorded: message }) =>
    eventOf(run, step, say(watch, stageOf(run), step, { code: COMBINATION, level, message })),
  );
  return [...ofMethods, ...observed(run, step, { after: 'start' })];
}

/** The completions that are not right. */
export function wrongAnswers(groups: readonly RolloutGroup[]): WrongAnswer[] {
  return groups.flatMap(({ item: { prompt, answer }, rollouts }) =>
    rollouts.flatMap(({ text, verdict }) =>
      verdict.score === 1 ? [] : [{ prompt, answer, completion: text, reason: verdict.reason }],
    ),
  );
}

/** Before the optimizer step that the batch is for; it may be that none follows. @param logged  by the methods of the stage */
export function diagnoseBatch(
  run: Diagnosed,
  collected: Collected,
  logged: Readonly<Record<string, number>>,
): TrainEvent[] {
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
export function diagnoseUpdate(run: Diagnosed, result: UpdateResult, onPolicy: boolean): TrainEvent[] {
  const { step } = run.journal.state;
  return observed(run, step, { after: 'update', record: updateRecord(step, result, onPolicy) });
}

export function diagnoseSupervised(run: Diagnosed, result: SupervisedResult): TrainEvent[] {
  const { step } = run.journal.state;
  return observed(run, step, { after: 'update', record: supervisedRecord(step, result) });
}

export function diagnoseEvaluation(run: Diagnosed, tasks: TaskSet, evaluation: Evaluation): TrainEvent[] {
  const { step, watch } = run.journal.state;
  const record = evaluationRecord(step, evaluation, trainingSince(watch.history), chanceOf(tasks));
  return observed(run, step, { after: 'evaluation', record });
}

/** Each of several tasks counts by its weight, as in an evaluation. */
function chanceOf({ shares }: TaskSet): number {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  return shares.reduce((sum, { task, weight }) => sum + (weight / total) * task.chance, 0);
}

/** Why the stage ends before its last step, where a controller has just ended it. */
export function diagnoseEnding(run: Progress): TrainEvent[] {
  const { step, watch } = run.journal.state;
  const ending = endingOf(run.journal.state);
  if (ending === undefined) return [];
  const message = `The stage ended after step ${ending.step}: ${ending.reason}.`;
  return [eventOf(run, step, say(watch, stageOf(run), step, { code: STAGE_ENDED, level: 'note', message }))];
}

/** The last word of a run that an error ends, where the error says something about learning. */
export function diagnoseStop(run: Progress, error: unknown): TrainEvent[] {
  if (!(error instanceof RlvrError && STOP_CODES.includes(error.code))) return [];
  const { step, watch } = run.journal.state;
  const diagnosis: Diagnosis = { code: error.code, level: 'stop', message: error.message };
  say(watch, stageOf(run), step, diagnosis);
  return [eventOf(run, step, diagnosis)];
}

function observed(run: Diagnosed, step: number, observation: Observation): TrainEvent[] {
  const tells = tellingsOf(membersOf(run));
  const found = observe(run.journal.state.watch, stageOf(run), step, observation, tells);
  return found.map((diagnosis) => eventOf(run, step, diagnosis));
}

function membersOf({ methods, journal: { state } }: Diagnosed): readonly Member[] {
  return methods[state.stageIndex]?.members ?? [];
}

function eventOf(run: Progress, step: number, diagnosis: Diagnosis): TrainEvent {
  return { type: 'diagnosis', stage: stageOf(run).stage, step, diagnosis };
}
