/**
 * Chooses the problems of a batch: a stage's prompt sources form a chain in which each draws from the one before it,
 * and the first from the training stream.
 */
import { verdictsOf } from '../../data/judging/judged.ts';
import { fittingItem } from '../../data/prompts/prompt_limit.ts';
import type { TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import type { Named } from '../../methods/create.ts';
import type { DrawItems, GroupRequest, PromptSource, SourceTools } from '../../methods/points.ts';
import { wholeVocabulary } from '../../model/sampling/generation.ts';
import type { Engine } from '../engine.ts';
import { type Journal, timed } from '../journal.ts';
import { samplingKey } from '../run.ts';
import { solutionGradient } from '../score/solution_gradient.ts';
import type { Step } from '../step.ts';
import { CallContexts } from './call_contexts.ts';
import { completeItems, sampledTokens } from './complete.ts';

/** The prompts of one batch. */
export interface Prompts {
  /** Requests for the next `count` problems. */
  draw(count: number): Promise<readonly GroupRequest[]>;
  /** See `RolloutTools.expect`. */
  expect(count: number): void;
  /** The expected problems, once; none if their order is unknown before they are drawn. */
  upcoming(): readonly TaskItem[];
  /** Items taken from the training stream so far, without those whose prompts are dropped. */
  readonly taken: number;
}

/** Opens the sources of a stage for one batch. */
export function openPrompts(engine: Engine, step: Step, journal: Journal): Prompts {
  const { tasks } = step;
  let taken = 0;
  let expected = 0;
  const stream: DrawItems = async (count) =>
    Array.from({ length: count }, () => {
      taken++;
      return nextItem(step, journal, tasks);
    });
  const next = step.methods.promptSources.reduce<DrawItems>(
    (draw, source) => sourceOver(engine, step, journal, source, draw),
    stream,
  );
  const samples = step.stage.batch.numGenerations;
  return {
    draw: async (count) => (await next(count)).map((item) => ({ item, samples })),
    expect: (count) => {
      expected = step.methods.promptSources.every(({ part }) => part.isStream) ? count : 0;
    },
    upcoming: () => {
      const items = nextItems(step, journal, tasks, expected);
      expected = 0;
      return items;
    },
    get taken() {
      return taken;
    },
  };
}

/** The next items of the training stream, which it will give again. */
function nextItems({ seed }: Step, { state }: Journal, tasks: TaskSet, count: number): TaskItem[] {
  let at = state.itemsDrawn;
  return Array.from({ length: count }, () => {
    const { item, next } = fittingItem(tasks, seed, at);
    at = next;
    return item;
  });
}

/** The next item of the training stream whose prompt is not dropped. */
function nextItem({ seed }: Step, { state }: Journal, tasks: TaskSet): TaskItem {
  const { item, next } = fittingItem(tasks, seed, state.itemsDrawn);
  state.itemsDrawn = next;
  return item;
}

/** One source in front of another. */
function sourceOver(
  engine: Engine,
  step: Step,
  journal: Journal,
  { id, part }: Named<PromptSource>,
  draw: DrawItems,
): DrawItems {
  const contexts = new CallContexts(step, id);
  let tokens = 0;
  return async (count) => {
    const context = contexts.next(count);
    const attempt: SourceTools['attempt'] = async (items, how) => {
      const { verdicts, tokens: own } = await timed(journal, 'rollout', () =>
        attemptItems(engine, step, journal, items, how),
      );
      tokens += own;
      step.context(id).metric('tokens', tokens);
      return verdicts;
    };
    return part.next(count, draw, {
      ...context,
      attempt,
      twin: (item) => engine.tasks.twin?.(item),
      solutionText: (item) => solutionText(engine.tasks, item),
      solutionGradient: (items) => timed(journal, 'update', () => solutionGradient(engine, items)),
      judge: (answers) =>
        timed(journal, 'verify', () =>
          verdictsOf(
            engine.tasks,
            answers.map(({ item, text }) => ({ item, completion: text, context: { finishReason: 'eos' } })),
          ),
        ),
    });
  };
}

function solutionText(tasks: TaskSet, item: TaskItem): string | undefined {
  if (tasks.environment.maxTurns > 1) return undefined;
  const [tokens] = tasks.solutions(item);
  return tokens && tasks.codec.decode(tokens);
}

const GREEDY = wholeVocabulary(0);

async function attemptItems(
  engine: Engine,
  { stage, seed }: Step,
  { state }: Journal,
  items: readonly TaskItem[],
  how: Parameters<SourceTools['attempt']>[1],
): Promise<{ readonly verdicts: Awaited<ReturnType<SourceTools['attempt']>>; readonly tokens: number }> {
  if (items.length === 0) return { verdicts: [], tokens: 0 };
  const samples = how === 'greedy' ? 1 : how.samples;
  const firstRollout = state.rolloutsDrawn;
  if (how !== 'greedy') state.rolloutsDrawn += items.length * samples;
  const sampling = how === 'greedy' ? GREEDY : stage.sampling;
  const key = samplingKey(seed, 'rollout');
  const completions = await completeItems(engine, items, { samples, firstRollout, sampling, samplingKey: key, stage });
  const tokens = sampledTokens(completions);
  state.tokens += tokens;
  return { verdicts: completions.map((itemCompletions) => itemCompletions.map(({ verdict }) => verdict)), tokens };
}
