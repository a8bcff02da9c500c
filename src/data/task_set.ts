/**
 * The tasks of a run in the tokens of its codec: all that a trainer needs.
 *
 * A single task is unchanged. With several, the task of draw i is a pure function of (seed, i), chosen by weight;
 * evaluation also weighs tasks by weight, however many problems each holds out.
 */
import { DataError, PluginError } from '../errors.ts';
import { rngFor } from '../kernels/philox.ts';
import type { Verdict } from '../rewards/verdict.ts';
import { asksInWords, type Codec, promptOf } from '../text/codec.ts';
import { isInTokensOf, sharedCodec } from '../text/shared_vocabulary.ts';
import { type Environment, mostEpisodeTokens, type TurnLimits } from './environment.ts';
import { inRow } from './in_row.ts';
import { verdictsOfShares } from './judging/judged.ts';
import { type Demonstration, dialogueTokens } from './prompts/dialogue_tokens.ts';
import { mostShownTokens, shownBefore, shownBelow } from './prompts/shown_prompt.ts';
import { withOpening } from './prompts/style.ts';
import { type Repeat, repeatPlainly } from './repeat.ts';
import type { SearchSpace } from './search_text.ts';
import type { Task, TaskItem, VerifyContext } from './task.ts';
import { environmentOf, episodeDemonstration, measuredTurns, withRoom, withTools } from './task_environment.ts';

/** A task of a set. */
export interface TaskShare {
  readonly task: Task;
  /** How often its problems are drawn, relative to the others; above 0. */
  readonly weight: number;
  /** Unique in the set: the task's name, numbered if repeated. */
  readonly label: string;
}

/** The tasks of a run with their weights, and their texts in the tokens of its one vocabulary. */
export interface TaskSet {
  /** `countdown`, or `countdown + sort_digits`. */
  readonly name: string;
  readonly shares: readonly TaskShare[];
  readonly codec: Codec;
  readonly environment: Environment;
  /** Most tokens of a prompt, and of a completion with the EOS that ends it. */
  readonly maxPromptTokens: number;
  readonly maxCompletionTokens: number;
  /** Most tokens that each text shown with a problem adds to the prompt. */
  readonly maxShownTokens: number;
  /** A completion stops after exactly this many tokens; undefined where the policy ends itself with EOS. */
  readonly fixedCompletionTokens: number | undefined;
  /** Item `index` of the endless training stream: random access, a pure function of (seed, index). */
  trainItem(seed: number, index: number): TaskItem;
  /** Different problems of the training stream; undefined where a task cannot list its own. */
  trainProblems(): number | undefined;
  /** The held-out problems of every task, in a fixed order. */
  heldOutItems(): readonly TaskItem[];
  /** Whether an item's prompt is too long and left out; present if the config says so. */
  isOverlong?(item: TaskItem): boolean;
  /** Number of held-out problems left out because their prompts are too long. */
  droppedHeldOut?(): number;
  /** The problem that a prompt asks; null if it asks none; undefined if a task has no `parse`. */
  parse(prompt: string): TaskItem | null | undefined;
  /** The same problem under another prompt; undefined if its task has none. */
  twin?(item: TaskItem): TaskItem | undefined;
  /** Prompt token ids; no padding, no EOS. */
  promptTokens(item: TaskItem): Int32Array;
  /** The prompt with these texts shown; each is cut to `maxCompletionTokens`, and empty ones are left out. */
  shownTokens(item: TaskItem, ...texts: readonly Int32Array[]): Int32Array;
  /** Hints at a problem in tokens, from little to much help; empty if its task has none. */
  hints(item: TaskItem): readonly Int32Array[];
  /** Right answers in tokens without EOS, the item's own first; empty if its task knows none. */
  solutions(item: TaskItem): readonly Int32Array[];
  /** What the answers to a problem search; undefined where they do not. */
  searchSpace(item: TaskItem): SearchSpace<unknown> | undefined;
  /** A typed prompt, asked like a problem of the first task. @throws DataError if it cannot be written */
  typedTokens(prompt: string): Int32Array;
  /** Completion ids of one warm-start demonstration, EOS included where it ends a completion. Pure in (seed, index). */
  demonstrationTokens(item: TaskItem, seed: number, index: number): Int32Array;
  /**
   * What a supervised stage learns of a problem. Pure in (seed, index). @param learnErrors whether errors of an
   * episode's teacher have a loss; default true @throws DataError if it cannot be written
   */
  demonstration(item: TaskItem, seed: number, index: number, learnErrors?: boolean): Demonstration;
  /** The tasks of a supervised stage, by its number: its own data set, or else these tasks. */
  supervised(stage: number): TaskSet;
  /** Judges the decoded completion (EOS stripped). Total and pure. */
  verify(item: TaskItem, completion: string, context: VerifyContext): Verdict;
  /** How to call its tasks' functions many times in a row. */
  readonly repeat: Repeat;
  /** Present if a task's verdicts take time: `verdictsOf` then calls it instead of `verify`. */
  readonly judge?: Task['judge'];
}

/**
 * Several tasks as one set, in one vocabulary.
 *
 * @param tasks  at least one, with their weights
 * @param codec  that of the model which the run begins with; default: that of their vocabularies
 * @param supervised  by the number of a stage: what it learns from in their place
 * @param maxPromptTokens  default: what the tasks say, or what is measured in the tokens of a pretrained model
 * @throws ConfigError if their vocabularies cannot be merged, or a closed one lacks a piece of theirs
 */
export function taskSet(
  tasks: readonly { readonly task: Task; readonly weight: number }[],
  codec?: Codec,
  supervised?: ReadonlyMap<number, TaskSet>,
  maxPromptTokens?: number,
): TaskSet {
  const names = tasks.map(({ task }) => task.name);
  const shares = tasks.map(({ task, weight }, i) => {
    const isAlone = names.indexOf(task.name) === names.lastIndexOf(task.name);
    return { task, weight, label: isAlone ? task.name : `${task.name}#${i + 1}` };
  });
  return new TokenizedTasks(shares, codec, supervised, maxPromptTokens);
}

/** A set of one. */
export function oneTask(task: Task): TaskSet {
  return taskSet([{ task, weight: 1 }]);
}

/** The same tasks, with completions that stop after exactly `completionTokens` tokens: for steps that are timed. */
export function withFixedLength(tasks: TaskSet, completionTokens: number): TaskSet {
  return delegating(tasks, { fixedCompletionTokens: completionTokens });
}

/** The same tasks with some members replaced. */
export function delegating(tasks: TaskSet, changes: Partial<TaskSet>): TaskSet {
  return { ...tasks, ...changes };
}

/** Problems of an unused training stream that are measured in addition to the held-out ones. */
const MEASURED_PROBLEMS = 256;
const MEASURED_SEED = -2;

/** Its members are own properties, so that a spread copies them. */
class TokenizedTasks implements TaskSet {
  readonly name: string;
  readonly shares: readonly TaskShare[];
  readonly codec: Codec;
  readonly environment: Environment;
  readonly maxPromptTokens: number;
  readonly maxCompletionTokens: number;
  readonly maxShownTokens: number;
  readonly fixedCompletionTokens: number | undefined;
  readonly repeat: Repeat;
  readonly judge?: Task['judge'];
  readonly #totalWeight: number;
  /** Lengths were measured, since no task knows them in this codec's tokens. */
  readonly #isMeasured: boolean;
  readonly #supervised: ReadonlyMap<number, TaskSet>;
  #heldOut: readonly TaskItem[] | undefined;

  constructor(
    shares: readonly TaskShare[],
    codec: Codec | undefined,
    supervised: ReadonlyMap<number, TaskSet> = new Map(),
    maxPromptTokens?: number,
  ) {
    this.#supervised = supervised;
    const languages = shares.map(({ task }) => task.language);
    const fixed = new Set(languages.map(({ fixedCompletionTokens }) => fixedCompletionTokens));
    this.name = shares.map(({ label }) => label).join(' + ');
    this.shares = shares;
    // The first watched task's will do, since a watch covers all calls of the thread.
    this.repeat = shares.find(({ task }) => task.repeat)?.task.repeat ?? repeatPlainly;
    if (shares.some(({ task }) => task.judge)) this.judge = (answers) => verdictsOfShares(shares, answers);
    const written = shares.map(({ task, label }) => ({ tokenizer: task.language.tokenizer, label }));
    this.codec = codec ?? sharedCodec(written);
    this.#isMeasured = codec !== undefined && !isInTokensOf(written, codec);
    this.#totalWeight = shares.reduce((sum, { weight }) => sum + weight, 0);
    const turns = new Map(shares.map(({ task }) => [task, this.#turnsOf(task)]));
    this.environment = environmentOf({
      codec: this.codec,
      taskOf: (item) => this.#taskOf(item),
      turns,
      maxCompletionTokens: () => this.maxCompletionTokens,
    });
    if (this.#isMeasured) {
      this.fixedCompletionTokens = undefined;
      const { promptTokens, completionTokens } = this.#measured();
      this.maxPromptTokens = maxPromptTokens ?? promptTokens;
      const episodes = [...turns.values()].map((limits) => (limits ? mostEpisodeTokens(limits) : 0));
      this.maxCompletionTokens = Math.max(completionTokens, ...episodes);
      this.maxShownTokens = mostShownTokens(this.maxCompletionTokens, true);
      return;
    }
    this.fixedCompletionTokens = fixed.size === 1 ? languages[0].fixedCompletionTokens : undefined;
    const longest = Math.max(...languages.map(({ promptTokens }) => promptTokens));
    this.maxPromptTokens = Math.min(longest, maxPromptTokens ?? longest);
    // If one of several tasks needs EOS, all end by EOS.
    const ends = (fixedTokens: number | undefined): number =>
      fixedTokens === undefined || this.fixedCompletionTokens !== undefined ? 0 : 1;
    this.maxCompletionTokens = Math.max(
      ...languages.map(({ completionTokens, fixedCompletionTokens: own }) => completionTokens + ends(own)),
    );
    this.maxShownTokens = mostShownTokens(this.maxCompletionTokens, false);
  }

  /**
   * Lengths in tokens that no task knows, measured on the held-out and some training problems, with room for longer
   * ones.
   */
  #measured(): { readonly promptTokens: number; readonly completionTokens: number } {
    const drawn = Array.from({ length: MEASURED_PROBLEMS }, (_, index) => this.trainItem(MEASURED_SEED, index));
    const long = this.shares.flatMap(({ task, label }) => {
      const items = task.longItems?.() ?? [];
      return this.shares.length === 1 ? items : items.map((item) => ({ ...item, task: label }));
    });
    let promptTokens = 0;
    let answerTokens = 0;
    for (const [index, item] of [...this.heldOutItems(), ...long, ...drawn].entries()) {
      promptTokens = Math.max(promptTokens, this.#encodedPrompt(item).ids.length);
      if (this.#taskOf(item).language.limitsAreTokens) continue;
      answerTokens = Math.max(
        answerTokens,
        this.#spoken(item, MEASURED_SEED, index)?.tokens.length ?? 0,
        this.codec.encode(item.answer).length,
        this.codec.encode(this.#taskOf(item).demonstration(item, MEASURED_SEED, index)).length,
        ...(this.#taskOf(item).preferred?.(item) ?? []).map((text) => this.codec.encode(text).length),
      );
    }
    return { promptTokens: withRoom(promptTokens), completionTokens: withRoom(answerTokens) + 1 };
  }

  /** Episode limits of a task; undefined if its problems have a single answer. */
  #turnsOf(task: Task): TurnLimits | undefined {
    const { turns, limitsAreTokens = false } = task.language;
    if (turns === undefined || limitsAreTokens || !this.#isMeasured) return turns;
    const episodes = Array.from({ length: MEASURED_PROBLEMS }, (_, index) => {
      const item = task.trainItem(MEASURED_SEED, index);
      return task.demonstratedEpisode?.(item, MEASURED_SEED, index) ?? [];
    });
    return measuredTurns(this.codec, turns, episodes.flat());
  }

  #encodedPrompt(item: TaskItem): { readonly text: string; readonly ids: Int32Array } {
    const text = inRow(item, () => promptOf(this.codec, this.environment.prompt(item)));
    return { text, ids: this.codec.encode(text) };
  }

  readonly trainItem: TaskSet['trainItem'] = (seed, index) => {
    if (this.shares.length === 1) return this.shares[0].task.trainItem(seed, index);
    const { task, label } = this.#shareAt(rngFor(`task|${seed}|${index}`).float() * this.#totalWeight);
    return { ...task.trainItem(seed, index), task: label };
  };

  /** @param place  in [0, total weight) */
  #shareAt(place: number): TaskShare {
    let end = 0;
    for (const share of this.shares) {
      end += share.weight;
      if (place < end) return share;
    }
    return this.shares[this.shares.length - 1]; // rounding left the last end below the total
  }

  readonly trainProblems: TaskSet['trainProblems'] = () => {
    return this.shares.reduce<number | undefined>((sum, { task }) => {
      const count = task.trainProblems();
      return sum === undefined || count === undefined ? undefined : sum + count;
    }, 0);
  };

  readonly heldOutItems: TaskSet['heldOutItems'] = () => {
    if (this.shares.length === 1) return this.shares[0].task.heldOutItems();
    this.#heldOut ??= this.shares.flatMap(({ task, weight, label }) => {
      const items = task.heldOutItems();
      const scale = weight / items.reduce((sum, item) => sum + item.weight, 0);
      return items.map((item) => ({ ...item, task: label, weight: item.weight * scale }));
    });
    return this.#heldOut;
  };

  readonly parse: TaskSet['parse'] = (prompt) => {
    if (this.shares.length === 1) return this.shares[0].task.parse(prompt);
    const read = this.shares.map(({ task, label }) => {
      const item = task.parse(prompt);
      return item && { ...item, task: label };
    });
    return read.find((item) => item) ?? (read.includes(undefined) ? undefined : null);
  };

  readonly twin: TaskSet['twin'] = (item) => {
    const twin = this.#taskOf(item).twin?.(item);
    return twin && (item.task === undefined ? twin : { ...twin, task: item.task });
  };

  readonly promptTokens: TaskSet['promptTokens'] = (item) => {
    const { text, ids } = this.#encodedPrompt(item);
    if (ids.length > this.maxPromptTokens) throw this.#tooLong(item, 'prompt', text, ids.length, this.maxPromptTokens);
    return ids;
  };

  readonly shownTokens: TaskSet['shownTokens'] = (item, ...texts) => {
    const cut = texts.filter(({ length }) => length > 0).map((tokens) => tokens.subarray(0, this.maxCompletionTokens));
    if (cut.length === 0) return this.promptTokens(item);
    if (!asksInWords(this.codec)) {
      return cut.reduceRight((prompt, tokens) => shownBefore(this.codec, prompt, tokens), this.promptTokens(item));
    }
    const shown = cut.map((tokens) => this.codec.decode(tokens)).join('\n\n');
    const text = promptOf(this.codec, shownBelow(this.environment.prompt(item), shown));
    const ids = this.codec.encode(text);
    const most = this.maxPromptTokens + texts.length * this.maxShownTokens;
    if (ids.length > most) throw this.#tooLong(item, 'prompt', text, ids.length, most);
    return ids;
  };

  readonly hints: TaskSet['hints'] = (item) => {
    return (this.#taskOf(item).hints?.(item) ?? []).map((hint) => this.codec.encode(hint));
  };

  readonly solutions: TaskSet['solutions'] = (item) => {
    const all = this.#taskOf(item).solutions?.(item) ?? [item.answer];
    return all.filter((answer) => answer !== '').map((answer) => this.codec.encode(answer));
  };

  readonly searchSpace: TaskSet['searchSpace'] = (item) => this.#taskOf(item).searchSpace?.(item);

  readonly typedTokens: TaskSet['typedTokens'] = (prompt) => {
    const { opening = [], tools } = this.shares[0].task;
    return this.codec.encode(this.codec.render(withTools([...opening, { role: 'user', content: prompt }], tools)));
  };

  readonly demonstrationTokens: TaskSet['demonstrationTokens'] = (item, seed, index) => {
    const spoken = this.#spoken(item, seed, index);
    if (spoken !== undefined) return spoken.tokens;
    const text = this.#taskOf(item).demonstration(item, seed, index);
    const ids = this.codec.encode(text);
    if (this.fixedCompletionTokens !== undefined) return ids;
    const ended = new Int32Array(ids.length + 1);
    ended.set(ids);
    ended[ids.length] = this.codec.eosTokenId;
    if (ended.length > this.maxCompletionTokens) {
      throw this.#tooLong(item, 'demonstration', text, ended.length, this.maxCompletionTokens);
    }
    return ended;
  };

  readonly demonstration: TaskSet['demonstration'] = (item, seed, index, learnErrors) => {
    const dialogue = this.#spoken(item, seed, index, learnErrors);
    if (dialogue === undefined) {
      return { prompt: this.promptTokens(item), tokens: this.demonstrationTokens(item, seed, index) };
    }
    const { prompt, tokens } = dialogue;
    if (prompt.length > this.maxPromptTokens) throw this.#tooLongDialogue(item, prompt.length, this.maxPromptTokens);
    if (tokens.length > this.maxCompletionTokens) {
      throw this.#tooLongDialogue(item, tokens.length, this.maxCompletionTokens);
    }
    return dialogue;
  };

  /** A multi-turn demonstration, if the problem has one. */
  #spoken(item: TaskItem, seed: number, index: number, learnErrors = true): Demonstration | undefined {
    const task = this.#taskOf(item);
    const episode = task.demonstratedEpisode?.(item, seed, index);
    if (episode !== undefined) {
      return episodeDemonstration(this.codec, this.#encodedPrompt(item).ids, episode, learnErrors);
    }
    const turns = task.dialogue?.(item);
    return turns && inRow(item, () => dialogueTokens(this.codec, withOpening(task.opening, turns), item.id));
  }

  /** More rows than planned would write past their memory. */
  #tooLongDialogue({ id }: TaskItem, length: number, most: number): DataError {
    const rule = `its conversation takes ${length} tokens where those that were measured led to expect ${most} at most`;
    return new DataError('dialogue-too-long', `${id}  ${rule}; shorten it, or leave the row out.`, {
      id,
      length,
      most,
    });
  }

  readonly supervised: TaskSet['supervised'] = (stage) => {
    return this.#supervised.get(stage) ?? this;
  };

  readonly verify: TaskSet['verify'] = (item, completion, context) => {
    return this.#taskOf(item).verify(item, completion, context);
  };

  #taskOf({ task: label }: TaskItem): Task {
    if (this.shares.length === 1) return this.shares[0].task;
    const share = this.shares.find((candidate) => candidate.label === label);
    if (share === undefined) throw new RangeError(`an item of ${label ?? 'no task'} in a set of ${this.name}`);
    return share.task;
  }

  /** Memory is planned from `limits`, so a longer text cannot be computed. */
  #tooLong(item: TaskItem, what: 'prompt' | 'demonstration', text: string, length: number, most: number): PluginError {
    const { name } = this.#taskOf(item);
    const key = what === 'prompt' ? 'promptTokens' : 'completionTokens';
    const rule = this.#isMeasured
      ? `has ${length} tokens, and problems that were measured before led to expect ${most} at most; set max_prompt_length, or overlong_prompts: drop`
      : `has ${length} tokens, but limits() says at most ${most}; raise ${key} there`;
    return new PluginError('task-failed', `task "${name}": ${what} ${JSON.stringify(text)} ${rule}.`, {
      text,
      length,
      most,
    });
  }
}
