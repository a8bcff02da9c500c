/**
 * Asks the diagnostics after each observation, and decides what is said: a finding once, and again only after it has
 * been away; each time it comes back, it must have been away for longer. A finding that flickers is said a few times in
 * a whole run. One that has been away for so long is withdrawn.
 */

import { counted, percent } from '../format.ts';
import type { Seconds } from '../methods/records.ts';
import type { StageConfig } from '../methods/stage.ts';
import { type Acts, startActs } from './acts.ts';
import { COMBINATION } from './codes.ts';
import type { BoundDiagnostic, Diagnosis, Finding, Level, Moment } from './diagnostic.ts';
import {
  type History,
  rememberBatch,
  rememberEvaluation,
  rememberUpdate,
  type StartFacts,
  startHistory,
} from './history.ts';
import type { BatchRecord, EvaluationRecord, UpdateRecord } from './records.ts';
import { commonestWrong, type WrongAnswer } from './wrong_answers.ts';

export type Observation =
  | { readonly after: 'start'; readonly facts?: StartFacts }
  | {
      readonly after: 'batch';
      readonly record: BatchRecord;
      /** Keys of the problems drawn, one per group. */
      readonly problems: readonly string[];
      /** Its wrong answers, collected only if a finding shows them. */
      readonly wrong?: () => readonly WrongAnswer[];
    }
  | { readonly after: 'update'; readonly record: UpdateRecord }
  | { readonly after: 'evaluation'; readonly record: EvaluationRecord };

/** Looks without a finding after which it is withdrawn, and may be said for a second time; n times as many for the time after n. */
const AWAY: Readonly<Record<Moment, number>> = { start: 1, batch: 10, update: 10, evaluation: 2 };

/** State of a diagnostic in this stage. */
interface Alarm {
  /** Findings in a row. */
  found: number;
  /** Looks in a row without a finding, since it was said. */
  away: number;
  /** It was said, and has not been away for long enough since. */
  stands: boolean;
  /** How often it was said. */
  times: number;
}

/** A diagnosis of a run, by stage and code. */
export interface Said {
  readonly stage: StageConfig['stage'];
  readonly code: string;
  readonly level: Level;
  /** Optimizer step of the first mention. */
  readonly step: number;
  times: number;
  /** As it was said last. */
  message: string;
  /** Optimizer step at which it was withdrawn, and not said again; absent: it holds. */
  withdrawn?: number;
}

/** Plain JSON, part of a run's state, which decides only what a resumed run reports. */
export interface Watch {
  history: History;
  alarms: Record<string, Alarm>;
  readonly said: Said[];
  /** Absent in a stage that an older version has begun: nothing is known of its first steps. */
  acts?: Acts;
}

export function startWatch(seconds: Seconds): Watch {
  return { history: startHistory(seconds), alarms: {}, said: [], acts: startActs() };
}

/** Begins a stage, which is judged separately; earlier diagnoses stay. */
export function enterStage(watch: Watch, seconds: Seconds): void {
  watch.history = startHistory(seconds);
  watch.alarms = {};
  watch.acts = startActs();
}

/** Records an observation, and runs the stage's diagnostics on it. @returns new diagnoses, usually none */
export function look(
  watch: Watch,
  stage: StageConfig,
  step: number,
  observation: Observation,
  diagnostics: readonly BoundDiagnostic[],
): Diagnosis[] {
  remember(watch.history, observation);
  return diagnostics
    .filter(({ after }) => after === observation.after)
    .flatMap((diagnostic) => {
      const { code, level } = diagnostic;
      const finding = diagnostic.look(watch.history);
      if (finding === undefined) {
        const isOver = endsAlarm(watch, diagnostic);
        return isOver ? [withdraw(watch, stage, step, { code, message: ending(watch, diagnostic) })] : [];
      }
      if (!isNews(watch, diagnostic)) return [];
      const lesser = lesserThan(watch, diagnostics, code).map((other) => {
        watch.alarms[other].stands = false;
        return withdraw(watch, stage, step, {
          code: other,
          message: `${other} is no longer so: ${code} says more of it.`,
        });
      });
      const answers =
        diagnostic.showsAnswers && observation.after === 'batch'
          ? commonestWrong(observation.wrong?.() ?? [])
          : undefined;
      const message = [inWords(finding), answers ?? []].flat().join(' ');
      return [...lesser, say(watch, stage, step, { code, level, message })];
    });
}

/** Codes of reported diagnoses that say less about the same problem. */
function lesserThan({ alarms }: Watch, diagnostics: readonly BoundDiagnostic[], code: string): string[] {
  return diagnostics.flatMap((other) =>
    other.unless?.includes(code) && alarms[other.code]?.stands ? [other.code] : [],
  );
}

/** Codes of this stage's diagnoses that still hold, in order of first mention. */
export function standing({ said }: Watch, { stage }: StageConfig): string[] {
  return said.flatMap((diagnosed) =>
    diagnosed.stage === stage && diagnosed.withdrawn === undefined ? [diagnosed.code] : [],
  );
}

/** Records a diagnosis; also called for one that stops the run. */
export function say({ said }: Watch, { stage }: StageConfig, step: number, diagnosis: Diagnosis): Diagnosis {
  const isKnown = ({ code, message }: Said): boolean =>
    code === diagnosis.code && (code !== COMBINATION || message === diagnosis.message); // each is another
  const earlier = said.find((entry) => entry.stage === stage && isKnown(entry));
  if (earlier === undefined) said.push({ stage, step, times: 1, ...diagnosis });
  else {
    earlier.times++;
    earlier.message = diagnosis.message;
    delete earlier.withdrawn;
  }
  return diagnosis;
}

/** Withdraws a diagnosis that no longer holds. */
function withdraw(
  { said }: Watch,
  { stage }: StageConfig,
  step: number,
  diagnosis: Pick<Diagnosis, 'code' | 'message'>,
): Diagnosis {
  const earlier = said.findLast((entry) => entry.stage === stage && entry.code === diagnosis.code);
  if (earlier !== undefined) earlier.withdrawn = step;
  return { ...diagnosis, level: 'withdrawn' };
}

/** The observation that ends a finding. */
function ending({ alarms, history: { evaluations } }: Watch, { code, after }: BoundDiagnostic): string {
  const now = evaluations.at(-1);
  const looks = alarms[code]?.away ?? 1;
  const shown =
    after === 'evaluation' && now !== undefined
      ? `held-out accuracy is ${percent(now.greedy.mean)} greedy and ${percent(now.sampled.mean)} sampled`
      : `not found in the last ${counted(looks, after === 'update' ? 'step' : 'batch', after === 'update' ? 'steps' : 'batches')}`;
  return `${code} is no longer so: ${shown}.`;
}

function remember(history: History, observation: Observation): void {
  switch (observation.after) {
    case 'batch':
      rememberBatch(history, observation.record, observation.problems);
      break;
    case 'update':
      rememberUpdate(history, observation.record);
      break;
    case 'evaluation':
      rememberEvaluation(history, observation.record);
      break;
    case 'start':
      history.start = observation.facts ?? null;
      break;
  }
}

function alarmOf({ alarms }: Watch, { code }: BoundDiagnostic): Alarm {
  alarms[code] ??= { found: 0, away: 0, stands: false, times: 0 };
  return alarms[code];
}

/** Counts a check without a finding, and decides whether the diagnosis is withdrawn. */
function endsAlarm(watch: Watch, diagnostic: BoundDiagnostic): boolean {
  const { after, isEvent = false, refuted } = diagnostic;
  const alarm = alarmOf(watch, diagnostic);
  alarm.found = 0;
  alarm.away++;
  if (!alarm.stands) return false;
  const isRefuted = refuted?.(watch.history) ?? false;
  const isAway = alarm.away >= AWAY[after] * alarm.times;
  if (isRefuted || isAway) alarm.stands = false;
  return isRefuted || (isAway && !isEvent);
}

/** Counts a finding, and decides whether it is said. */
function isNews(watch: Watch, diagnostic: BoundDiagnostic): boolean {
  const { patience = 1, unless = [] } = diagnostic;
  const { alarms } = watch;
  const alarm = alarmOf(watch, diagnostic);
  alarm.found++;
  alarm.away = 0;
  if (alarm.stands || alarm.found < patience || unless.some((other) => alarms[other]?.stands)) return false;
  alarm.stands = true;
  alarm.times++;
  return true;
}

function inWords({ seen, why, remedy }: Finding): string {
  return `${seen}. ${why}. ${remedy}.`;
}
