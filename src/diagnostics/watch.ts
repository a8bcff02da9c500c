/**
 * Asks the diagnostics after each observation, and decides what is said: a finding once, and again only after it has
 * been away; each time it comes back, it must have been away for longer. A finding that flickers is said a few times in
 * a whole run.
 */

import type { Seconds } from '../methods/records.ts';
import type { StageConfig } from '../methods/stage.ts';
import { type Acts, startActs } from './acts.ts';
import { COMBINATION } from './codes.ts';
import type { BoundDiagnostic, Diagnosis, Finding, Level, Moment } from './diagnostic.ts';
import { type History, rememberBatch, rememberEvaluation, rememberUpdate, startHistory } from './history.ts';
import type { BatchRecord, EvaluationRecord, UpdateRecord } from './records.ts';
import { commonestWrong, type WrongAnswer } from './wrong_answers.ts';

export type Observation =
  | { readonly after: 'start' }
  | {
      readonly after: 'batch';
      readonly record: BatchRecord;
      /** Keys of the problems drawn, one per group. */
      readonly problems: readonly string[];
      /** Its answers that are not right: gathered only where a finding shows them. */
      readonly wrong?: () => readonly WrongAnswer[];
    }
  | { readonly after: 'update'; readonly record: UpdateRecord }
  | { readonly after: 'evaluation'; readonly record: EvaluationRecord };

/** Looks without a finding after which it may be said for a second time; n times as many for the time after n. */
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

/** What was said in a run, by stage and code, in the order of first mention. */
export interface Said {
  readonly stage: StageConfig['stage'];
  readonly code: string;
  readonly level: Level;
  /** Optimizer step of the first mention. */
  readonly step: number;
  times: number;
  /** As it was said last. */
  message: string;
}

/** Plain JSON, part of a run's state: what a resumed run says depends on it, and nothing else does. */
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

/** Each stage is judged by itself; what was said stays. */
export function enterStage(watch: Watch, seconds: Seconds): void {
  watch.history = startHistory(seconds);
  watch.alarms = {};
  watch.acts = startActs();
}

/** Remembers an observation, and looks at it with diagnostics of its stage. @returns what is to be said now; usually nothing */
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
      const finding = diagnostic.look(watch.history);
      if (!isNews(watch, diagnostic, finding)) return [];
      const answers =
        diagnostic.showsAnswers && observation.after === 'batch'
          ? commonestWrong(observation.wrong?.() ?? [])
          : undefined;
      const message = [inWords(finding), answers ?? []].flat().join(' ');
      return [say(watch, stage, step, { code: diagnostic.code, level: diagnostic.level, message })];
    });
}

/** Keeps account of what is said; also called for what a run stops over. */
export function say({ said }: Watch, { stage }: StageConfig, step: number, diagnosis: Diagnosis): Diagnosis {
  const isKnown = ({ code, message }: Said): boolean =>
    code === diagnosis.code && (code !== COMBINATION || message === diagnosis.message); // each is another
  const earlier = said.find((entry) => entry.stage === stage && isKnown(entry));
  if (earlier === undefined) said.push({ stage, step, times: 1, ...diagnosis });
  else {
    earlier.times++;
    earlier.message = diagnosis.message;
  }
  return diagnosis;
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
      break;
  }
}

/** Counts the look, and decides whether its finding is said. */
function isNews({ alarms }: Watch, diagnostic: BoundDiagnostic, finding: Finding | undefined): finding is Finding {
  const { code, after, patience = 1, unless = [] } = diagnostic;
  alarms[code] ??= { found: 0, away: 0, stands: false, times: 0 };
  const alarm = alarms[code];
  if (finding === undefined) {
    alarm.found = 0;
    alarm.away++;
    if (alarm.away >= AWAY[after] * alarm.times) alarm.stands = false;
    return false;
  }
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
