/**
 * How long a run will take, from real steps of each stage on throw-away weights.
 *
 * Weights that have learned nothing sample to the limit and solve nothing, so the timed steps are given what a
 * trained policy would give: answers as long as the demonstrations, and verdicts that leave a typical share of the groups
 * without a right one and dead, those that are sampled again with a hint included. Everything else is the run itself: its loop, its batches, its refills, its evaluation.
 */

import type { TaskItem } from '../../src/data/task.ts';
import { delegating, type TaskSet, withFixedLength } from '../../src/data/task_set.ts';
import { withTasks } from '../../src/grpo/engine.ts';
import { evaluate } from '../../src/grpo/evaluate.ts';
import { initialState } from '../../src/grpo/journal.ts';
import { completionLimit } from '../../src/grpo/rollout/completion_end.ts';
import { membersOfStages, type TrainingRun, type WeightedReward } from '../../src/grpo/run.ts';
import { train } from '../../src/grpo/trainer.ts';
import type { StageConfig } from '../../src/methods/stage.ts';
import { TYPICAL_DEAD_SHARE } from '../../src/methods/work.ts';
import type { Verdict } from '../../src/rewards/verdict.ts';
import { plannedWork, typicalLengths } from './work.ts';

/** Seconds of each stage that are spent on warming up and on measuring; at least one cycle each. */
const WARM_UP_SECONDS = 0.4;
const MEASURED_SECONDS = 1.6;
const ENDLESS = Number.MAX_SAFE_INTEGER;

export interface StageEstimate {
  readonly stage: 'sft' | 'grpo';
  readonly steps: number;
  readonly secondsPerStep: number;
  /** Steps that were measured. */
  readonly measured: number;
}

export interface RunEstimate {
  readonly stages: readonly StageEstimate[];
  readonly evaluations: number;
  readonly secondsPerEvaluation: number;
  /** All of it. */
  readonly seconds: number;
  /** Completion tokens of every answer in the timed steps. */
  readonly completionTokens: number;
  /** As long as the demonstrations; false where rows have no answer, and the limit was taken. */
  readonly isDemonstrated: boolean;
}

/** Times steps of each stage of a run that was just opened: its state stays, its weights are worth nothing afterwards. */
export async function estimateTime(run: TrainingRun): Promise<RunEstimate> {
  const { config, engine } = run;
  const { tasks } = engine;
  const longest = Math.min(...config.stages.map((stage) => completionLimit(tasks, stage)));
  const typical = typicalLengths(tasks, config.seed).completion;
  const completionTokens = Math.min(longest, Math.round(typical));
  const timedRun: TrainingRun = {
    ...run,
    engine: withTasks(engine, withTypicalVerdicts(withFixedLength(tasks, completionTokens))),
    rewards: run.rewards.map((rewards) => rewards.map(byVerdict)),
    // Without an end, so that short stages can be measured like long ones.
    config: { ...config, stages: config.stages.map(endless) },
  };
  const stages: StageEstimate[] = [];
  for (const [index, stage] of config.stages.entries()) {
    const journal = { ...run.journal, state: { ...initialState(), stageIndex: index } };
    const at = { ...timedRun, journal };
    stages.push({ stage: stage.stage, steps: stage.optimizer.maxSteps, ...(await measureSteps(at, stage)) });
  }
  const start = run.journal.clock();
  const last = config.stages.length - 1;
  const evaluator = { engine: timedRun.engine, figures: run.figures[last] ?? [], seed: config.seed };
  await evaluate(evaluator, config.stages[last] as StageConfig); // a run has at least one stage
  const secondsPerEvaluation = (run.journal.clock() - start) / 1000;
  const evaluations = plannedWork(config, tasks, membersOfStages(run), engine.policy.capacity.keptRows > 0).reduce(
    (sum, work) => sum + work.evaluations,
    0,
  );
  const training = stages.reduce((sum, { steps, secondsPerStep }) => sum + steps * secondsPerStep, 0);
  const seconds = training + evaluations * secondsPerEvaluation;
  const isDemonstrated = Number.isFinite(typical);
  return { stages, evaluations, secondsPerEvaluation, seconds, completionTokens, isDemonstrated };
}

function endless(stage: StageConfig): StageConfig {
  const optimizer = { ...stage.optimizer, maxSteps: ENDLESS };
  return { ...stage, optimizer, evaluation: { ...stage.evaluation, evalSteps: 0 } };
}

/** Whole cycles, from one rollout to the next: the steps between are shorter. The first cycles only warm up. */
async function measureSteps(
  run: TrainingRun,
  stage: StageConfig,
): Promise<{ readonly secondsPerStep: number; readonly measured: number }> {
  const cycle = stepsInCycle(stage);
  let start = run.journal.clock();
  let warm: { readonly at: number; readonly step: number } | undefined;
  for await (const event of train(run)) {
    if (event.type === 'evaluation') start = run.journal.clock(); // the baseline, before the first step
    if (event.type !== 'step' || event.step % cycle !== 0) continue;
    const now = run.journal.clock();
    if (warm !== undefined && now - warm.at >= MEASURED_SECONDS * 1000) {
      const measured = event.step - warm.step;
      return { secondsPerStep: (now - warm.at) / 1000 / measured, measured };
    }
    if (now - start >= WARM_UP_SECONDS * 1000) warm ??= { at: now, step: event.step };
  }
  throw new RangeError('a timed stage has no end');
}

/** Optimizer steps from one rollout to the next. */
function stepsInCycle(stage: StageConfig): number {
  if (stage.stage === 'sft') return 1;
  const { optimizerStepsPerGeneration, promptsPerStep, numIterations } = stage.batch;
  return Math.min(optimizerStepsPerGeneration, promptsPerStep) * numIterations;
}

/** As many rewards as the stage has, since methods read them by their place. */
const byVerdict = ({ reward: { name }, weight }: WeightedReward): WeightedReward => ({
  reward: { name, score: ({ verdicts }) => verdicts.map(({ score }) => score) },
  weight,
});

/** The same tasks, whose verifiers work as ever, and say of every few groups that all of it is wrong; of the others, every second completion is right. */
function withTypicalVerdicts(tasks: TaskSet): TaskSet {
  const every = Math.round(1 / TYPICAL_DEAD_SHARE);
  const { environment, judge } = tasks;
  let groups = 0;
  const nextGroup = (): { readonly group: number; member: number } => ({ group: ++groups, member: 0 });
  const typical = (place: ReturnType<typeof nextGroup>, verdict: Verdict): Verdict => {
    const isRight = place.group % every !== 0 && place.member++ % 2 === 1;
    return { ...verdict, score: isRight ? 1 : 0, status: isRight ? 'correct' : 'incorrect' };
  };
  // Groups are judged one after the other; episodes of several end in any order.
  let last: { readonly item: TaskItem; readonly place: ReturnType<typeof nextGroup> } | undefined;
  const placeOf = (item: TaskItem): ReturnType<typeof nextGroup> => {
    if (last?.item !== item) last = { item, place: nextGroup() };
    return last.place;
  };
  const played = new Map<TaskItem, ReturnType<typeof nextGroup>>();
  const playedPlaceOf = (item: TaskItem): ReturnType<typeof nextGroup> => {
    const place = played.get(item) ?? nextGroup();
    played.set(item, place);
    return place;
  };
  return delegating(tasks, {
    verify: (item, completion, context) => typical(placeOf(item), tasks.verify(item, completion, context)),
    environment: {
      ...environment,
      step(item, ...rest) {
        const step = environment.step(item, ...rest);
        return step.verdict === undefined ? step : { ...step, verdict: typical(playedPlaceOf(item), step.verdict) };
      },
      distant(item) {
        const distant = environment.distant(item);
        return (
          distant && {
            ...distant,
            play(...place) {
              const episode = distant.play(...place);
              return {
                async step(...given) {
                  const step = await episode.step(...given);
                  const { verdict } = step;
                  return verdict === undefined ? step : { ...step, verdict: typical(playedPlaceOf(item), verdict) };
                },
                end: () => episode.end(),
              };
            },
          }
        );
      },
    },
    ...(judge && {
      judge: async (answers: Parameters<typeof judge>[0]) => {
        const verdicts = await judge(answers);
        return verdicts.map((verdict, i) => typical(placeOf(answers[i].item), verdict));
      },
    }),
  });
}
