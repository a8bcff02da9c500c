/** What is said of a run as events: before the first step of a stage, and at its end. `diagnose_training.ts` has the rest. */
import { COMBINATION, STAGE_ENDED, STOP_CODES } from '../diagnostics/codes.ts';
import { bind, type Diagnosis } from '../diagnostics/diagnostic.ts';
import { START_DIAGNOSTICS } from '../diagnostics/starts.ts';
import { look, say } from '../diagnostics/watch.ts';
import type { WrongAnswer } from '../diagnostics/wrong_answers.ts';
import { RlvrError } from '../errors.ts';
import type { StageMethods } from '../methods/create.ts';
import type { Member } from '../methods/method.ts';
import type { RolloutGroup } from '../methods/records.ts';
import type { StageConfig } from '../methods/stage.ts';
import type { TrainEvent } from './events.ts';
import { endingOf } from './journal.ts';
import { type Progress, type RunRemark, stageOf } from './run.ts';

/** A run, as the diagnostics see it. */
export type Diagnosed = Progress & {
  readonly methods: readonly (Pick<StageMethods, 'members' | 'acting'> | undefined)[];
  readonly demonstrations?: readonly (Pick<StageMethods, 'acting'> | undefined)[];
};

/** @param of  remarks on the methods of all stages */
export function diagnoseStart(run: Diagnosed, of: readonly RunRemark[]): TrainEvent[] {
  const { stageIndex, step, watch } = run.journal.state;
  const remarks = of.filter(({ stage }) => stage === stageIndex);
  const ofMethods = remarks.map(({ level, recorded: message }) =>
    eventOf(run, step, say(watch, stageOf(run), step, { code: COMBINATION, level, message })),
  );
  const atStart = bind<StageConfig>(START_DIAGNOSTICS, stageOf(run), new Set());
  const found = look(watch, stageOf(run), step, { after: 'start' }, atStart);
  return [...ofMethods, ...found.map((diagnosis) => eventOf(run, step, diagnosis))];
}

/** The completions that are not right. */
export function wrongAnswers(groups: readonly RolloutGroup[]): WrongAnswer[] {
  return groups.flatMap(({ item: { prompt, answer }, rollouts }) =>
    rollouts.flatMap(({ text, verdict }) =>
      verdict.score === 1 ? [] : [{ prompt, answer, completion: text, reason: verdict.reason }],
    ),
  );
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

export function membersOf({ methods, journal: { state } }: Diagnosed): readonly Member[] {
  return methods[state.stageIndex]?.members ?? [];
}

export function eventOf(run: Progress, step: number, diagnosis: Diagnosis): TrainEvent {
  return { type: 'diagnosis', stage: stageOf(run).stage, step, diagnosis };
}
