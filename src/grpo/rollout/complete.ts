/** Completes prompts, decodes and verifies the answers, for training, evaluation, `sample` and the page. */

import { verdictsOf } from '../../data/judging/judged.ts';
import type { GivenAnswer, TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import { ConfigError } from '../../errors.ts';
import type { VerifiedCompletion } from '../../methods/records.ts';
import type { StageConfig } from '../../methods/stage.ts';
import { ownTokens } from '../../methods/support/rollouts/turns.ts';
import { lossTokens } from '../../methods/tokens.ts';
import type { GenerationControl } from '../../model/sampling/controlled_generation.ts';
import type { Completion, KeptGeneration } from '../../model/sampling/generation.ts';
import { paramsOf, type SamplingParams } from '../../model/sampling/settings.ts';
import type { RewardBatch } from '../../rewards/reward_function.ts';
import type { Verdict } from '../../rewards/verdict.ts';
import type { Engine } from '../engine.ts';
import type { SampleRequest, SampleSettings } from '../generator.ts';
import { attentively } from '../interruption.ts';
import { completionEnd } from './completion_end.ts';
import type { EpisodeSettings } from './episodes.ts';
import { isPlayed } from './played_completion.ts';
import { stepsByToken } from './steps_by_token.ts';
import type { Wants } from './wants.ts';

/** The part of an engine that completes prompts. */
type Completer = Pick<Engine, 'tasks' | 'generator'> & Partial<Pick<Engine, 'policy'>>;

/** What completions are asked for, and how they are sampled. */
export interface CompletionSettings extends SamplingParams {
  /** Completions per prompt: one number for all, or one for each. */
  readonly samples: number | readonly number[];
  /** [items] prompts that replace the items' own. */
  readonly prompts?: readonly (Int32Array | undefined)[];
  /** [items][samples] tokens that completions begin with; absent: none. Longer ones than a completion are cut. */
  readonly prefixes?: readonly (readonly Int32Array[] | undefined)[];
  /** [items] see `GroupRequest.expertShare`; absent: none. */
  readonly expertShares?: readonly number[];
  /** Problems that will likely be asked next, each for as many completions. */
  readonly upcoming?: { readonly items: readonly TaskItem[]; readonly samples: number };
  /** Number of the first rollout, which keys its random draws; the rest follow. Default 0. */
  readonly firstRollout?: number;
  /** Sets the length limit of completions. */
  readonly stage: StageConfig;
  /** What environments and verifiers are asked besides; default: nothing. */
  readonly wants?: Wants;
  /** Called with each turn of an episode as it is played. */
  readonly watch?: EpisodeSettings['watch'];
  /** Activations stay for `Policy.keep`, where there is room; default: they do not. */
  readonly keep?: boolean;
  /** Decides as each token is sampled. */
  readonly control?: CompletionControl | undefined;
}

/** What the caller decides while items are completed. */
export interface CompletionControl extends Pick<GenerationControl, 'temperature' | 'allowed' | 'isTruncated'> {
  after(tokens: Int32Array, item: TaskItem): ReturnType<GenerationControl['after']>;
  atEnd?(tokens: Int32Array, item: TaskItem): readonly number[] | undefined;
}

/** [items][samples] completions with their verdicts. */
export async function completeItems(
  engine: Completer,
  items: readonly TaskItem[],
  settings: CompletionSettings,
): Promise<VerifiedCompletion[][]> {
  const { completions } = await sampleItems(engine, items, settings);
  return attentively(engine, judgedCompletions(engine.tasks, items, completions));
}

/** A completion of a prompt that is not a problem of the task, so it has no verdict. */
export interface ReadCompletion extends Completion {
  readonly text: string;
  readonly verdict?: undefined;
}

/** [texts][samples] completions of prompts that are not problems of the task: decoded, not verified. */
export async function completeTexts(
  { tasks, generator }: Completer,
  texts: readonly string[],
  settings: CompletionSettings,
): Promise<ReadCompletion[][]> {
  const prompts = texts.map((text) => tasks.typedTokens(text));
  const { requests, how } = asked(tasks, prompts, settings);
  const { completions } = await generator.sample(requests, how);
  return completions.map((samplesOfText) =>
    samplesOfText.map((completion) => ({ ...completion, text: completionText(tasks, completion) })),
  );
}

/** The completions alone, or whole episodes where a task is played in turns. */
export async function sampleItems(
  { tasks, generator }: Completer,
  items: readonly TaskItem[],
  settings: CompletionSettings,
): Promise<KeptGeneration> {
  const { control, wants = {}, samplingKey, watch } = settings;
  const prompts = items.map((item, i) => settings.prompts?.[i] ?? tasks.promptTokens(item));
  const { requests, how } = asked(tasks, prompts, settings);
  if (tasks.environment.maxTurns === 1) {
    return generator.sample(requests, control ? { ...how, control: controlOf(items, control) } : how);
  }
  if (control !== undefined) throw playedInTurns(tasks, 'a token control reads each token of a completion');
  const begun = items.find((item, i) => settings.prefixes?.[i] !== undefined && tasks.environment.plays(item));
  if (begun !== undefined) throw playedInTurns(tasks, 'a method begins completions with tokens of its own');
  const room = how.fixedCompletionTokens ?? how.maxCompletionTokens;
  const openings = items.map((_, i) => ({ share: settings.expertShares?.[i] ?? 0, room }));
  const { weightsVersion } = generator;
  const { Episodes } = await import('./episodes.ts');
  const episodes = new Episodes(tasks, items, requests, { samplingKey, openings, wants, weightsVersion, watch });
  try {
    const { completions, places } = await generator.sample(episodes.begun(requests), { ...how, turns: episodes });
    return { completions: episodes.played(completions), places };
  } finally {
    await episodes.end();
  }
}

/** The error for what a method cannot do to an episode, since the environment would not know. */
function playedInTurns({ name }: TaskSet, action: string): ConfigError {
  const rule = `${action}, and problems of ${name} are played in turns`;
  return new ConfigError(
    'played-in-turns',
    `task: ${rule}; leave the method out, or take a task that is answered by one text.`,
  );
}

/** Decodes the completions of each item and asks for their verdicts, all of them at once. */
export async function judgedCompletions(
  tasks: TaskSet,
  items: readonly TaskItem[],
  completions: readonly (readonly Completion[])[],
  wants: Wants = {},
): Promise<VerifiedCompletion[][]> {
  const answers = answersOf(tasks, items, completions, wants);
  return withVerdicts(tasks, items, completions, answers, await verdictsOf(tasks, answers));
}

/** All completions that are still to be judged, decoded, in order. */
function answersOf(
  tasks: TaskSet,
  items: readonly TaskItem[],
  completions: readonly (readonly Completion[])[],
  wants: Wants,
): GivenAnswer[] {
  return items.flatMap((item, i) =>
    (completions[i] ?? []).flatMap((completion) => {
      if (isPlayed(completion)) return [];
      const context = { finishReason: completion.finishReason, ...wants };
      return { item, completion: completionText(tasks, completion), context };
    }),
  );
}

/** [items][samples] each completion with its verdict. @param answers  not judged yet @param verdicts  of `answers` */
function withVerdicts(
  tasks: TaskSet,
  items: readonly TaskItem[],
  completions: readonly (readonly Completion[])[],
  answers: readonly GivenAnswer[],
  verdicts: readonly Verdict[],
): VerifiedCompletion[][] {
  let next = 0;
  return items.map((_, i) =>
    (completions[i] ?? []).map((completion) => {
      if (isPlayed(completion)) return completion;
      const at = next++;
      return withVerdict(tasks, completion, answers[at].completion, verdicts[at]);
    }),
  );
}

function withVerdict(
  { codec }: Pick<TaskSet, 'codec'>,
  completion: Completion,
  text: string,
  verdict: Verdict,
): VerifiedCompletion {
  const steps = verdict.steps && stepsByToken(codec, completion.tokens, verdict.steps);
  return { ...completion, text, verdict, ...(steps && { steps }) };
}

/** The text that a verifier reads: ids decoded, the final EOS stripped. */
export function completionText(
  tasks: Pick<TaskSet, 'codec'>,
  { tokens, finishReason }: Pick<Completion, 'tokens' | 'finishReason'>,
): string {
  return tasks.codec.decode(finishReason === 'eos' ? tokens.subarray(0, tokens.length - 1) : tokens);
}

/** A completion and the problem that it answers. */
export interface AnsweredItem {
  readonly item: TaskItem;
  readonly completion: VerifiedCompletion;
  /** Number of its group, from 0. */
  readonly group: number;
}

/** Each completion with its item, in order. */
export function answeredItems(
  items: readonly TaskItem[],
  completions: readonly (readonly VerifiedCompletion[])[],
): AnsweredItem[] {
  return items.flatMap((item, i) => (completions[i] ?? []).map((completion) => ({ item, completion, group: i })));
}

/** What reward functions read of these completions. */
export function rewardBatch(rows: readonly AnsweredItem[], trainerState: RewardBatch['trainerState']): RewardBatch {
  return {
    prompts: rows.map(({ item }) => item.prompt),
    completions: rows.map(({ completion }) => completion.text),
    completionTokens: rows.map(({ completion }) => ownTokens(completion)),
    items: rows.map(({ item }) => item),
    groupOf: Int32Array.from(rows, ({ group }) => group),
    verdicts: rows.map(({ completion }) => completion.verdict),
    finishReasons: rows.map(({ completion }) => completion.finishReason),
    trainerState,
  };
}

/** Number of sampled tokens, without those put in. */
export function sampledTokens(completions: readonly (readonly Completion[])[]): number {
  return completions.flat().reduce((sum, completion) => sum + lossTokens(completion), 0);
}

/** What the generator is asked. */
function asked(
  tasks: TaskSet,
  prompts: readonly Int32Array[],
  { upcoming, stage, keep, prefixes = [], firstRollout = 0, samples, ...settings }: CompletionSettings,
): { readonly requests: readonly SampleRequest[]; readonly how: SampleSettings } {
  let next = firstRollout;
  const end = completionEnd(tasks, stage);
  const { maxCompletionTokens: most } = end;
  const requestsOf = (
    promptTokens: readonly Int32Array[],
    count: typeof samples,
    begun: typeof prefixes,
  ): SampleRequest[] =>
    promptTokens.map((prompt, i) => {
      const length = typeof count === 'number' ? count : count[i];
      const tokens = begun[i]?.map((own) => (own.length > most ? own.subarray(0, most - 1) : own));
      return {
        prompt,
        rollouts: Array.from({ length }, (_, k) => ({ rollout: next++, ...(tokens && { tokens: tokens[k] }) })),
      };
    });
  const requests = requestsOf(prompts, samples, prefixes);
  const expected = upcoming?.items.map((item) => tasks.promptTokens(item)) ?? [];
  return {
    requests,
    how: {
      ...paramsOf(settings),
      ...end,
      keep,
      ...(upcoming && { upcoming: requestsOf(expected, upcoming.samples, []) }), // numbered on
    },
  };
}

/** Passes the problem to a control, where a generator knows only the request's index. */
function controlOf(
  items: readonly TaskItem[],
  { after, atEnd, ...control }: CompletionControl,
): NonNullable<SampleSettings['control']> {
  return {
    ...control,
    after: (tokens, request) => after(tokens, items[request]),
    ...(atEnd && { atEnd: (tokens, request) => atEnd(tokens, items[request]) }),
  };
}
