/** Diagnostic events before the first step of a stage and at its end. `diagnose_training.ts` has the rest. */
import type { TaskSet } from '../data/task_set.ts';
import { COMBINATION, STAGE_ENDED, STOP_CODES } from '../diagnostics/codes.ts';
import { bind, type Diagnosis } from '../diagnostics/diagnostic.ts';
import type { StartFacts } from '../diagnostics/history.ts';
import { look, say, startWatch, type Watch } from '../diagnostics/watch.ts';
import type { WrongAnswer } from '../diagnostics/wrong_answers.ts';
import { RlvrError } from '../errors.ts';
import type { StageMethods } from '../methods/create.ts';
import type { Member } from '../methods/method.ts';
import type { RolloutGroup } from '../methods/records.ts';
import type { StageConfig } from '../methods/stage.ts';
import type { TrainEvent } from './events.ts';
import { endingOf } from './journal.ts';
import { type ConfiguredModel, type Progress, type RunRemark, stageOf } from './run.ts';

/** A run, as the diagnostics see it. */
export type Diagnosed = Progress &
  Pick<ConfiguredModel, 'registries'> & {
    readonly methods: readonly (Pick<StageMethods, 'members' | 'acting'> | undefined)[];
    readonly demonstrations?: readonly (Pick<StageMethods, 'acting'> | undefined)[];
  };

/**
 * Diagnoses the stage that begins: conflicts between its methods, and its settings.
 *
 * @param of  remarks on the methods of all stages
 */
export function diagnoseStart(run: Diagnosed & ConfiguredModel, of: readonly RunRemark[]): TrainEvent[] {
  const { stageIndex, step, watch } = run.journal.state;
  const remarks = of.filter(({ stage }) => stage === stageIndex);
  const ofMethods = remarks.map(({ level, recorded: message }) =>
    eventOf(run, step, say(watch, stageOf(run), step, { code: COMBINATION, level, message })),
  );
  const diagnoses = lookAtStart(run, stageIndex, watch);
  return [...ofMethods, ...diagnoses.map((diagnosis) => eventOf(run, step, diagnosis))];
}

/** Diagnoses a stage's settings before its first step. @param watch  what remembers it; default: nothing does */
export function lookAtStart(
  run: ConfiguredModel,
  stageIndex: number,
  watch: Watch = startWatch({ sft: 0, rollout: 0, verify: 0, update: 0, eval: 0 }),
): Diagnosis[] {
  const stage = run.config.stages[stageIndex];
  const facts = startFacts(run, stage, stageIndex);
  const { start = [] } = run.registries.diagnostics ?? {};
  return look(watch, stage, 0, { after: 'start', facts }, bind<StageConfig>(start, stage, new Set()));
}

/** Problems of the training stream whose answers are measured. */
const MEASURED_ANSWERS = 64;

function startFacts(
  { config, engine: { tasks }, base }: ConfiguredModel,
  stage: StageConfig,
  stageIndex: number,
): StartFacts {
  const shown = stage.stage === 'sft' ? tasks.supervised(stageIndex) : tasks;
  const isPretrained = base !== undefined;
  return { isPretrained, problems: shown.trainProblems() ?? null, answers: measuredAnswers(tasks, stage, config.seed) };
}

/**
 * Measures only where a key sets the limit, since a task's own limit fits its answers. Multi-turn tasks have limits of
 * their own.
 */
function measuredAnswers(tasks: TaskSet, stage: StageConfig, seed: number): StartFacts['answers'] {
  const limit = stage.stage === 'grpo' ? stage.sampling.maxCompletionTokens : undefined;
  const isPlayed = tasks.environment.longest !== undefined;
  if (limit === undefined || tasks.fixedCompletionTokens !== undefined || isPlayed) return null;
  const shortest = Array.from({ length: MEASURED_ANSWERS }, (_, index) => {
    const solutions = tasks.solutions(tasks.trainItem(seed, index));
    return solutions.length === 0 ? 0 : 1 + Math.min(...solutions.map(({ length }) => length));
  });
  const cut = shortest.filter((length) => length > limit).length / shortest.length;
  return { limit, cut, longest: Math.max(...shortest) };
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

/** The last event of a run that ends with an error about learning. */
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
