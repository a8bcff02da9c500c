/** Binds task definitions to their knobs and split. */

import { type Rng, rngFor } from '../kernels/philox.ts';
import type { Json } from '../options/json.ts';
import type { Verdict } from '../rewards/verdict.ts';
import { asksInWords, type Message } from '../text/codec.ts';
import type { BoundEnvironment } from './environment.ts';
import { askJudge, judgedInThreads } from './judging/judged.ts';
import { type Conversation, conversationOf, levelOf, refuseConversation, styleOf, takeKnobs } from './knobs.ts';
import { bindEnvironment, environmentFor, playEpisode, teachersEpisode } from './play.ts';
import { episodeMessages } from './prompts/observation_tokens.ts';
import { limitPrompts, type PromptLimit } from './prompts/prompt_limit.ts';
import {
  languageOf,
  openingOf,
  plainPrompt,
  type ReadCompletion,
  readBare,
  readTagged,
  tagged,
} from './prompts/style.ts';
import { innerIn, listedTask, type TaskList } from './registered_task.ts';
import { makeEach, type Repeat, repeatPlainly } from './repeat.ts';
import type { SearchSpace } from './search_text.ts';
import {
  canonicalJSON,
  countTrainProblems,
  drawProblem,
  heldOutProblems,
  type KeyedProblem,
  type ProblemSource,
  splitOfProblem,
} from './split.ts';
import type {
  AnyTaskDefinition,
  GivenAnswer,
  Knobs,
  Split,
  Style,
  Task,
  TaskItem,
  TaskLanguage,
  VerifyContext,
} from './task.ts';
import type { TaskOptions } from './task_options.ts';
import { type TaskSet, taskSet } from './task_set.ts';
import { requireTools, type ToolLimit } from './tools/tool_limit.ts';

/** `task:` of the YAML: the task's name and its knobs, `level` and `style` among them. */
export type TaskConfig = { readonly name: string } & Readonly<Record<string, unknown>>;

/** Default number of held-out problems of a space that cannot be listed. */
export const HELD_OUT_SAMPLE = 512;

/** The id of a problem's twin. */
function twinId({ id }: Pick<TaskItem, 'id'>): string {
  return `${id}/twin`;
}

/** No run has this seed: seeds are whole numbers from 0. */
const EXAMPLES_SEED = -1;

/** Most right answers of a problem that are read. */
const MOST_SOLUTIONS = 16;

class BoundTask implements Task {
  readonly name: string;
  readonly version: number;
  readonly knobs: Knobs;
  readonly style: Style;
  readonly language: TaskLanguage;
  readonly givesSteps: boolean;
  readonly givesFeedback: boolean;
  /** Present if the definition is played in turns. */
  readonly environment?: BoundEnvironment;
  readonly demonstratedEpisode?: NonNullable<Task['demonstratedEpisode']>;
  readonly tools?: Task['tools'];
  readonly toolNames: readonly string[];
  /** Present if the definition has it. */
  readonly twin?: (item: TaskItem) => TaskItem | undefined;
  readonly repeat: Repeat;
  /** Present if the definition's verdicts take time. */
  readonly judge?: NonNullable<Task['judge']>;
  readonly sandboxEngine?: NonNullable<Task['sandboxEngine']>;
  readonly #level: number | undefined;
  readonly #definition: AnyTaskDefinition;
  readonly #source: ProblemSource;
  readonly #heldOutSample: number;
  /** Present if a pretrained model is asked, in words. */
  readonly #conversation: Conversation | undefined;
  /** The turns after an example's question, if it is an episode. */
  readonly #example: ((item: TaskItem) => readonly Message[]) | undefined;
  #opening: readonly Message[] | undefined;
  #chance: number | undefined;
  #heldOut: readonly TaskItem[] | undefined;

  constructor(definition: AnyTaskDefinition, given: Readonly<Record<string, unknown>>, options: TaskOptions) {
    const { path = 'task', heldOutSample = HELD_OUT_SAMPLE, repeat = repeatPlainly } = options;
    const isInWords = asksInWords(options.codec);
    const knobs = takeKnobs(definition, given, path);
    const { codec, maxToolCallingIterations } = options;
    const environment =
      definition.environment && environmentFor(definition.environment, codec, maxToolCallingIterations);
    this.toolNames = environment?.toolNames?.(knobs) ?? [];
    if (isInWords) {
      const conversation = conversationOf(definition, given, path);
      const { system, tools } = environment?.introduction?.(knobs) ?? {};
      const systemTexts = [system, conversation.system].filter((text) => text !== undefined);
      this.#conversation = { ...conversation, system: systemTexts.length === 0 ? undefined : systemTexts.join('\n\n') };
      if (tools !== undefined) this.tools = tools;
    } else refuseConversation(definition, given, path);
    this.name = definition.name;
    this.version = definition.version;
    this.knobs = knobs;
    this.style = styleOf(definition, given, path);
    // Words need no vocabulary; the compact one serves callers that ask.
    const turns = environment?.turnLimits(knobs);
    this.language = languageOf(definition, knobs, isInWords ? 'compact' : this.style, path, turns);
    // Steps are positions in a compact answer, which would shift between tags.
    this.givesSteps = this.style === 'compact' && !isInWords && (definition.givesSteps?.(knobs) ?? false);
    if (definition.twin !== undefined) this.twin = (item) => this.#twin(item);
    if (environment !== undefined) {
      const bound = bindEnvironment(environment, `${this.name}|${this.version}`, knobs);
      this.environment = bound;
      this.demonstratedEpisode = (item, seed, index) => {
        const rng = this.#teacherStream(item, seed, index);
        return teachersEpisode(environment, knobs, bound, { item, stream: `${seed}|${index}`, rng });
      };
      if (isInWords && codec !== undefined) {
        this.#example = (item) => {
          const rng = rngFor(`example|${this.name}|${this.version}|${item.key}`);
          const episode = playEpisode(bound, item, 'example', (state) => environment.expert(state, knobs, rng));
          return episodeMessages(codec, episode);
        };
      }
    }
    this.givesFeedback = isInWords || (this.style === 'compact' && definition.feedback !== undefined);
    if (definition.judge !== undefined) this.judge = (answers) => this.#judge(answers);
    if (definition.sandboxEngine !== undefined) this.sandboxEngine = definition.sandboxEngine;
    this.#level = levelOf(definition, given);
    this.#definition = definition;
    this.repeat = repeat;
    this.#source = { definition, knobs, levelId: canonicalJSON(knobs), repeat };
    this.#heldOutSample = heldOutSample;
  }

  /** Computed on demand, since countdown enumerates its problems for it. */
  get chance(): number {
    this.#chance ??= this.#definition.chance(this.knobs);
    return this.#chance;
  }

  /** Example problems have their own seed, so that no run trains on their stream. */
  get opening(): readonly Message[] {
    if (this.#conversation === undefined) return [];
    this.#opening ??= openingOf(this.#conversation, (index) => this.trainItem(EXAMPLES_SEED, index), this.#example);
    return this.#opening;
  }

  trainItem(seed: number, index: number): TaskItem {
    const draw = (): TaskItem => {
      const problem = drawProblem(this.#source, { split: 'train', seed, index });
      return this.#item(problem, 'train', `${seed}/${index}`);
    };
    return makeEach(this.repeat, 1, draw)[0];
  }

  trainProblems(): number | undefined {
    return countTrainProblems(this.#source);
  }

  heldOutItems(): readonly TaskItem[] {
    if (this.#heldOut !== undefined) return this.#heldOut;
    const problems = heldOutProblems(this.#source, this.#heldOutSample);
    this.#heldOut = makeEach(this.repeat, problems.length, (index) =>
      this.#item(problems[index], 'eval', String(index), problems[index].weight),
    );
    return this.#heldOut;
  }

  parse(prompt: string): TaskItem | null | undefined {
    const definition = this.#definition;
    if (definition.parse === undefined || this.style === 'plain' || this.#conversation) return undefined;
    const identity = definition.parse(prompt, this.knobs);
    if (identity === null || definition.prompt(identity, this.knobs) !== prompt) return null;
    const key = definition.key(identity);
    const id = `${this.name}-v${this.version}/typed/${key}`;
    return {
      id,
      key,
      split: splitOfProblem(definition, identity),
      prompt,
      answer: '',
      identity,
      weight: 1,
      ...this.#further(identity),
    };
  }

  /** Optional fields of a problem that its task or the config provides. */
  #further(identity: Json): Pick<TaskItem, 'level' | 'columns'> {
    const columns = this.#definition.columns?.(identity, this.knobs);
    return { ...(this.#level !== undefined && { level: this.#level }), ...(columns !== undefined && { columns }) };
  }

  #prompt(identity: Json): string {
    const { question } = this.#definition;
    const isInWords = this.style === 'plain' || this.#conversation !== undefined;
    if (!isInWords || question === undefined) return this.#definition.prompt(identity, this.knobs);
    const questionText = question.call(this.#definition, identity, this.knobs);
    return this.style === 'plain' ? plainPrompt(questionText) : questionText;
  }

  /** Writes a right answer, or a demonstration, as a completion. */
  #completion(answer: string): string {
    return this.style === 'plain' ? tagged(answer) : answer;
  }

  #answer(identity: Json): string {
    const { reply } = this.#definition;
    if (this.#conversation !== undefined && reply !== undefined)
      return reply.call(this.#definition, identity, this.knobs);
    return this.#completion(this.#definition.oracle(identity, this.knobs));
  }

  #item({ identity, key }: KeyedProblem, split: Split, place: string, weight = 1): TaskItem {
    return {
      id: `${this.name}-v${this.version}/${split}/${place}`,
      key,
      split,
      prompt: this.#prompt(identity),
      answer: this.#answer(identity),
      identity,
      weight,
      ...this.#further(identity),
    };
  }

  hints({ identity }: TaskItem): readonly string[] {
    return this.#definition.hints?.(identity, this.knobs) ?? [];
  }

  solutions({ identity, answer }: TaskItem): readonly string[] {
    const all = new Set([answer]);
    for (const further of this.#definition.solutions?.(identity, this.knobs) ?? []) {
      all.add(this.#completion(further));
      if (all.size >= MOST_SOLUTIONS) break;
    }
    return [...all];
  }

  /** Words would be read in between tags. */
  searchSpace({ identity }: TaskItem): SearchSpace<unknown> | undefined {
    if (this.style === 'plain' || this.#conversation !== undefined) return undefined;
    return this.#definition.searchSpace?.(identity, this.knobs);
  }

  #twin(item: TaskItem): TaskItem | undefined {
    const identity = this.#definition.twin?.(item.identity, this.knobs);
    if (identity === null || identity === undefined) return undefined;
    const prompt = this.#prompt(identity);
    if (prompt === item.prompt) return undefined; // its parts are alike, and their order makes no other
    return { ...item, ...this.#further(identity), id: twinId(item), prompt, answer: this.#answer(identity), identity };
  }

  demonstration(item: TaskItem, seed: number, index: number): string {
    const rng = this.#teacherStream(item, seed, index);
    return this.#completion(this.#definition.demonstration(item.identity, this.knobs, rng));
  }

  #teacherStream({ key }: TaskItem, seed: number, index: number): Rng {
    return rngFor(`demonstration|${this.name}|${this.version}|${key}|${seed}|${index}`);
  }

  verify(item: TaskItem, completion: string, context: VerifyContext): Verdict {
    const read = this.#read(completion, context);
    if (read.answer === undefined) return this.#withFeedback(read.verdict, item, completion, context);
    const verdict = this.#definition.verify(item.identity, read.answer, this.knobs, read.context);
    return this.#withFeedback(verdict, item, completion, context);
  }

  /** Reads the answer of a completion in the task's style. */
  #read(completion: string, context: VerifyContext): ReadCompletion {
    if (this.style === 'plain') return readTagged(completion, context);
    return this.#conversation === undefined ? { answer: completion, context } : readBare(completion, context);
  }

  #withFeedback(
    verdict: Verdict,
    { identity }: TaskItem,
    completion: string,
    { wantsFeedback }: VerifyContext,
  ): Verdict {
    if (!wantsFeedback || verdict.score === 1 || verdict.feedback !== undefined) return verdict;
    // A pretrained model can read the reason; a closed vocabulary has only the task's own words.
    const feedback =
      this.#conversation === undefined ? this.#definition.feedback?.(identity, completion, this.knobs) : verdict.reason;
    return feedback === undefined ? verdict : { ...verdict, feedback };
  }

  /** Judges all completions that hold an answer together. */
  async #judge(given: readonly GivenAnswer[]): Promise<readonly Verdict[]> {
    const read = given.map(({ completion, context }) => this.#read(completion, context));
    const answersToJudge = read.flatMap((one, i) =>
      one.answer === undefined ? [] : [{ identity: given[i].item.identity, answer: one.answer, context: one.context }],
    );
    const verdicts = await askJudge(this.#definition, answersToJudge, this.knobs);
    let next = 0;
    return given.map(({ item, completion, context }, i) => {
      const one = read[i];
      return this.#withFeedback(one.answer === undefined ? one.verdict : verdicts[next++], item, completion, context);
    });
  }
}

/**
 * Binds a task definition of your own, or a loaded one, to its knobs and its style.
 *
 * @param knobs  as written in the YAML under `task:`, without the name; the definition fills in defaults
 * @throws ConfigError where they break a rule that the definition declares
 */
export function bindTask(
  definition: AnyTaskDefinition,
  knobs: Readonly<Record<string, unknown>> = {},
  options: TaskOptions = {},
): Task {
  return new BoundTask(definition, knobs, options);
}

/**
 * Loads a task of a list by its name and binds it to its knobs. Problems are solved on demand.
 *
 * @throws ConfigError on an unknown name or knob, or a knob out of range
 *
 * ```ts
 * const task = await createTask({ name: 'countdown', numbers: 3 });
 * const item = task.trainItem(0, 17);
 * task.verify(item, item.answer, { finishReason: 'eos' }).score; // 1
 * ```
 */
export async function createTask(
  { name, ...knobs }: TaskConfig,
  list: TaskList,
  options: TaskOptions = {},
): Promise<Task> {
  const task = listedTask(list, name);
  if ('open' in task) return task.open(knobs, options);
  takeKnobs(task.card, knobs, options.path); // a mistake in them is said before anything is loaded
  const { inner, threads } = options;
  const innerOf = inner === undefined ? innerIn(list) : () => ({ card: inner, load: async () => inner });
  return bindTask(judgedInThreads(await task.load(knobs, innerOf), knobs, threads), knobs, options);
}

/**
 * All tasks of a config, ready for a trainer.
 *
 * @throws ConfigError on an unknown name or knob, a knob out of range, or vocabularies that cannot be one
 */
export async function createTasks(
  {
    tasks,
    maxToolCallingIterations,
    ...limit
  }: { readonly tasks: readonly { readonly task: TaskConfig; readonly weight: number }[] } & PromptLimit & ToolLimit,
  list: TaskList,
  options: TaskOptions = {},
): Promise<TaskSet> {
  const limited = { ...options, maxToolCallingIterations };
  const shares = await Promise.all(
    tasks.map(async ({ task, weight }) => ({ task: await createTask(task, list, limited), weight })),
  );
  requireTools(
    shares.map(({ task }) => task),
    limited,
  );
  return limitPrompts(taskSet(shares, options.codec, undefined, limit.maxPromptLength), limit);
}
