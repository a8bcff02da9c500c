/**
 * Which problems a batch asks: the prompt sources of a stage in a row, each of which draws from the one before it, and the
 * first from the training stream.
 */
import { fittingItem } from '../../data/prompts/prompt_limit.ts';
import type { TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import type { Named } from '../../methods/create.ts';
import type { DrawItems, GroupRequest, PromptSource, SourceTools } from '../../methods/points.ts';
import type { GrpoStageConfig } from '../../methods/stage.ts';
import { wholeVocabulary } from '../../model/sampling/generation.ts';
import type { TrainingRun } from '../run.ts';
import { samplingKey, timed } from '../run.ts';
import type { StepScope } from '../step_scope.ts';
import { CallContexts } from './call_contexts.ts';
import { completeItems, sampledTokens } from './complete.ts';
import { stageTasks } from './stage_tasks.ts';

/** The prompts of one batch. */
export interface Prompts {
  /** Requests for the next `count` problems. */
  draw(count: number): Promise<readonly GroupRequest[]>;
  /** Items taken from the training stream so far, those whose prompts are left out not counted. */
  readonly taken: number;
}

/** Opens the sources of a stage for one batch. */
export function openPrompts(run: TrainingRun, stage: GrpoStageConfig, scope: StepScope): Prompts {
  const tasks = stageTasks(run, run.state.stageIndex);
  let taken = 0;
  const stream: DrawItems = async (count) =>
    Array.from({ length: count }, () => {
      taken++;
      return nextItem(run, tasks);
    });
  const next = scope.methods.promptSources.reduce<DrawItems>(
    (draw, source) => sourceOver(run, stage, scope, source, draw),
    stream,
  );
  const samples = stage.batch.numGenerations;
  return {
    draw: async (count) => (await next(count)).map((item) => ({ item, samples })),
    get taken() {
      return taken;
    },
  };
}

/** The next item of the training stream whose prompt is not left out. */
function nextItem(run: TrainingRun, tasks: TaskSet): TaskItem {
  const { item, next } = fittingItem(tasks, run.config.seed, run.state.itemsDrawn);
  run.state.itemsDrawn = next;
  return item;
}

/** One source in front of another. */
function sourceOver(
  run: TrainingRun,
  stage: GrpoStageConfig,
  scope: StepScope,
  { id, part }: Named<PromptSource>,
  draw: DrawItems,
): DrawItems {
  const contexts = new CallContexts(scope, id);
  let tokens = 0;
  return async (count) => {
    const context = contexts.next(count);
    const attempt: SourceTools['attempt'] = async (items, how) => {
      const { verdicts, tokens: own } = await timed(run, 'rollout', () => attemptItems(run, stage, items, how));
      tokens += own;
      scope.context(id).metric('tokens', tokens);
      return verdicts;
    };
    return part.next(count, draw, { ...context, attempt, twin: (item) => run.tasks.twin?.(item) });
  };
}

const GREEDY = wholeVocabulary(0);

async function attemptItems(
  run: TrainingRun,
  stage: GrpoStageConfig,
  items: readonly TaskItem[],
  how: Parameters<SourceTools['attempt']>[1],
): Promise<{ readonly verdicts: Awaited<ReturnType<SourceTools['attempt']>>; readonly tokens: number }> {
  if (items.length === 0) return { verdicts: [], tokens: 0 };
  const samples = how === 'greedy' ? 1 : how.samples;
  const firstRollout = run.state.rolloutsDrawn;
  if (how !== 'greedy') run.state.rolloutsDrawn += items.length * samples;
  const sampling = how === 'greedy' ? GREEDY : stage.sampling;
  const key = samplingKey(run.config.seed, 'rollout');
  const completions = await completeItems(run, items, { samples, firstRollout, sampling, samplingKey: key, stage });
  const tokens = sampledTokens(completions);
  run.state.tokens += tokens;
  return { verdicts: completions.map((own) => own.map(({ verdict }) => verdict)), tokens };
}
