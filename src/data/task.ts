import type { Reach } from '../http/servers.ts';
import type { Rng } from '../kernels/philox.ts';
import type { Json } from '../options/json.ts';
import type { KeyTable } from '../options/keys.ts';
import type { BrokenRule } from '../options/read.ts';
import type { Verdict } from '../rewards/verdict.ts';
import type { SandboxEngine, SandboxName } from '../sandbox_engine.ts';
import type { Message } from '../text/codec.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type {
  BoundEnvironment,
  DistantEnvironment,
  EnvironmentDefinition,
  PlayedEpisode,
  TurnLimits,
} from './environment.ts';
import type { AskedAnswer, Knobs, TaskItem, VerifyContext } from './problem.ts';
import type { Repeat } from './repeat.ts';
import type { SearchSpace } from './search_text.ts';

export type { AskedAnswer, Knobs, Split, TaskItem, VerifyContext } from './problem.ts';

/**
 * How a problem is asked. `compact`: a terse line, and the whole completion is the answer. `plain`: an English sentence,
 * and the answer is between `<answer>` and `</answer>`.
 */
export type Style = 'compact' | 'plain';

/** A text that looks right and is not; `maxScore` is the most that a verifier may give it (< 1). */
export interface Mutant {
  readonly name: string;
  readonly text: string;
  readonly maxScore: number;
}

/** The part of a task that does not need its generator: enough to check a config, and to list tasks and knobs. */
export interface TaskCard<K extends Knobs> {
  readonly name: string;
  /** Names of published work that trained on it or a similar task, by which users may search. */
  readonly names?: readonly string[];
  /** What it asks, in a sentence. */
  readonly does?: string;
  /** One problem and a right answer, at the default knobs. */
  readonly example?: readonly [prompt: string, answer: string];
  /** Raised on ANY change of generated items or verdicts. */
  readonly version: number;
  readonly category: string;
  readonly tier: 1 | 2 | 3;
  /** The sandbox that its answers run in, whose packages are loaded with the task. */
  readonly sandbox?: SandboxName;
  /** The servers that it asks, by names of knobs; absent: none. */
  readonly reaches?: Reach;
  /** Names of its verdicts' sub-scores; a reward may be one of them. */
  readonly parts?: readonly string[];
  /** Type, rule, default and text of each knob, from which YAML, JSON Schema, help, docs and controls follow. */
  readonly knobs: KeyTable;
  /** Rules that combine several knobs. `given` is what was written, without the defaults. */
  checkKnobs?(knobs: K, given: Readonly<Record<string, unknown>>): readonly BrokenRule[];
  /** Presets, easiest first, each with the knobs that differ from the defaults; the index is the difficulty level. */
  readonly levels: readonly Partial<K>[];
  /** Knobs that decide no bit of a run, so that a resume may change them. */
  readonly freeKnobs?: readonly string[];
  /** Values of single knobs, easiest first: difficulty by one knob at a time, for curricula. */
  readonly attributes?: { readonly [N in keyof K]?: readonly K[N][] };
}

/** A card with all that lists of tasks show. */
export type ListedCard<K extends Knobs> = TaskCard<K> & Required<Pick<TaskCard<K>, 'does' | 'example'>>;

/**
 * A task: its card, generator, prompt, verifier and its known exploits.
 * `I` is the identity of a problem: plain JSON, all that `verify` needs.
 */
export interface TaskDefinition<I extends Json, K extends Knobs> extends TaskCard<K> {
  /** Tasks with the same content share a family, and so the split. */
  readonly family: string;
  /** One problem, or null to reject the draw and try again. */
  generate(rng: Rng, knobs: K): I | null;
  /**
   * A costly condition on a problem; without it the draw is repeated, as if `generate` had returned null. It is checked
   * only for problems of the wanted split, since for a held-out one four in five draws are discarded anyway.
   */
  isFit?(identity: I, knobs: K): boolean;
  /** Knobs of the training stream, if wider than the evaluated ones. */
  trainKnobs?(knobs: K): K;
  /** Relative frequency with which `generate` draws a problem, as evaluation's weight; absent: all are equal. */
  frequency?(identity: I, knobs: K): number;
  /** Every problem of a small finite space, in a fixed order; undefined where the space is not enumerable. */
  enumerate?(knobs: K): Iterable<I> | undefined;
  /** Canonical form: equal keys if and only if the same problem. The split is a function of it alone. */
  key(identity: I): string;
  /** A class coarser than the key that decides the split instead of it: all its problems fall on one side. */
  splitKey?(identity: I): string;
  /** The prompt text. */
  prompt(identity: I, knobs: K): string;
  /**
   * The same problem, with equal key and right answers, under another prompt; null if there is none. An equal prompt
   * does not count.
   */
  twin?(identity: I, knobs: K): I | null;
  /** The same problem in a few English sentences, for `style: plain`, including the form of the answer. */
  question?(identity: I, knobs: K): string;
  /**
   * The problem that a text asks, or null, which lets `sample` judge a typed prompt. A problem with another prompt than
   * the text is rejected. Total and pure.
   */
  parse?(prompt: string, knobs: K): I | null;
  /** One answer of full score. */
  oracle(identity: I, knobs: K): string;
  /**
   * The oracle in the notation of `question`, for examples shown to a pretrained model; also of full score. Default:
   * the oracle.
   */
  reply?(identity: I, knobs: K): string;
  /** Further plain data of a problem for reward functions, by name. */
  columns?(identity: I, knobs: K): Readonly<Record<string, Json>>;
  /**
   * Which answers are right: `listed` (the default) means those of `oracle` and `solutions`, in any notation; `open`
   * means others too, which only `verify` recognises.
   */
  readonly answers?: 'listed' | 'open';
  /** Hints at a problem, from little to much help, in the task's notation; none is an answer. */
  hints?(identity: I, knobs: K): readonly string[];
  /** What is wrong with an answer, in the task's notation, or ''. Never a solution. */
  feedback?(identity: I, answer: string, knobs: K): string;
  /** Further correct answers. */
  solutions?(identity: I, knobs: K): Iterable<string>;
  /**
   * What an answer searches, if answers are written as `search_text.ts` has it: figures and pages then read the tries of
   * each answer, right or wrong. Pure; undefined where answers do not search at these knobs.
   */
  searchSpace?(identity: I, knobs: K): SearchSpace<unknown> | undefined;
  /**
   * A completion for the supervised warm start, drawn from a deliberately imperfect teacher, so that
   * reinforcement has something honest left to discover.
   */
  demonstration(identity: I, knobs: K, rng: Rng): string;
  /** Near misses that must score below 1. */
  mutants(identity: I, knobs: K, rng: Rng): readonly Mutant[];
  /** Total, pure, synchronous: any string in, a verdict out. */
  verify(identity: I, answer: string, knobs: K, context: VerifyContext): Verdict;
  /**
   * A verdict takes time, for instance to run an answer. `verify` is then called in the host's threads, if it has some,
   * with knobs and problems as JSON. It gives the same verdict wherever it is called.
   */
  readonly takesTime?: true;
  /**
   * The verdicts of many answers at once, in order, present if they come from elsewhere. It replaces `verify` wherever
   * the caller can wait. A verdict needed at once, in the middle of a completion or episode, comes from `verify`, which
   * gives the same verdict or is `judgedTogether`.
   */
  judge?(answers: readonly AskedAnswer<I>[], knobs: K): Promise<readonly Verdict[]>;
  /** The engine that runs its answers, if they are run. */
  readonly sandboxEngine?: SandboxEngine;
  /** Whether its verdicts have steps on request; absent: never. */
  givesSteps?(knobs: K): boolean;
  /** Upper bound on the accuracy of the best constant or random answer. */
  chance(knobs: K): number;
  /** The tokenizer that fits prompt and answer at these knobs. */
  tokenizer(knobs: K): Tokenizer;
  /**
   * Most tokens of a prompt, and of a completion including EOS, at these knobs. `questionCharacters` are those of the
   * longest `question`; default: the characters of the longest prompt and 160 more.
   */
  limits(knobs: K): {
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly questionCharacters?: number;
  };
  /** A completion has exactly this many tokens and no EOS; undefined where the policy ends itself. */
  fixedCompletionTokens?(knobs: K): number;
  /** How it is played, if in several turns; `environmentTask` makes the rest of the task. */
  readonly environment?: EnvironmentDefinition<Json, Json, Knobs>;
}

/** The closed vocabulary that a task's texts are written in, and how long they become in its tokens. */
export interface TaskLanguage {
  readonly tokenizer: Tokenizer;
  readonly promptTokens: number;
  /** EOS included where the policy ends itself. */
  readonly completionTokens: number;
  /** A completion has exactly this many tokens and no EOS; undefined where the policy ends itself. */
  readonly fixedCompletionTokens: number | undefined;
  /** Present for a multi-turn task; `completionTokens` then covers all turns. */
  readonly turns?: TurnLimits;
  /** The limits hold in any codec's tokens, so nothing is measured. */
  readonly limitsAreTokens?: true;
}

/** A task with its knobs and split fixed. It speaks text; a `TaskSet` makes tokens of it. */
export interface Task {
  readonly name: string;
  readonly version: number;
  readonly knobs: Knobs;
  readonly style: Style;
  readonly language: TaskLanguage;
  readonly chance: number;
  /** What a pretrained model reads before each question: a system message, example turns. */
  readonly opening?: readonly Message[];
  /** Tools that it may call, if its chat template shows them. */
  readonly tools?: Message['tools'];
  /** Names of the tools that a policy may call, if any. */
  readonly toolNames?: readonly string[];
  /** The engine that runs its answers, if they are run. */
  readonly sandboxEngine?: SandboxEngine;
  /** Its verdicts have steps on request. */
  readonly givesSteps?: boolean;
  /** Its verdicts say what is wrong on request. */
  readonly givesFeedback?: boolean;
  /** Item `index` of the endless training stream: random access, a pure function of (seed, index). */
  trainItem(seed: number, index: number): TaskItem;
  /** Its problems as episodes, present for a multi-turn task: they judge the problems, not `verify`. */
  readonly environment?: BoundEnvironment;
  /** The distant environment of its problems, if any. */
  readonly distant?: DistantEnvironment;
  /** Why held-out problems may be trained on, as a clause, if that was detected. */
  readonly leak?: string;
  /** Why a supervised stage cannot learn it, as `rule; remedy`, if so. */
  readonly undemonstrated?: string;
  /** Why rewards cannot teach it, as `rule; remedy`, if so. */
  readonly unrewarded?: string;
  /** Completions of an item's row, if it is a preference between them or a verdict on one. */
  preferred?(item: TaskItem): readonly string[];
  /** An episode of the warm start's teacher, present for a multi-turn task. Pure in (seed, index). */
  demonstratedEpisode?(item: TaskItem, seed: number, index: number): PlayedEpisode;
  /** Different problems of the training stream; undefined where the task cannot list them. */
  trainProblems(): number | undefined;
  /** All held-out problems (or a fixed, unique sample if the space is large), in a fixed order. */
  heldOutItems(): readonly TaskItem[];
  /** The problem that a prompt asks; null if it asks none; undefined if the task has no `parse`. */
  parse(prompt: string): TaskItem | null | undefined;
  /** The longest items, if the task knows them: their token lengths bound all others. */
  longItems?(): readonly TaskItem[];
  /** The same problem, with the same key, under another prompt; undefined if the task has none. */
  twin?(item: TaskItem): TaskItem | undefined;
  /** A supervised stage learns every assistant turn of this conversation; undefined: it learns the demonstration. */
  dialogue?(item: TaskItem): readonly Message[] | undefined;
  /** Hints at a problem, from little to much help; empty if the task only knows the answer. */
  hints?(item: TaskItem): readonly string[];
  /** Right answers, the item's own first; possibly incomplete. */
  solutions?(item: TaskItem): readonly string[];
  /** What its answers search; undefined where they do not. */
  searchSpace?(item: TaskItem): SearchSpace<unknown> | undefined;
  /** A completion for the supervised warm start. Pure in (seed, index). */
  demonstration(item: TaskItem, seed: number, index: number): string;
  /** Judges the decoded completion (EOS stripped). Total and pure. */
  verify(item: TaskItem, completion: string, context: VerifyContext): Verdict;
  /** How to call its functions many times in a row under its host's watch. */
  readonly repeat?: Repeat;
  /**
   * The verdicts of many completions, in order, present if they take time: `verdictsOf` then calls it instead of
   * `verify`, which may throw. A method that needs verdicts at once cannot train on such a task.
   */
  judge?(answers: readonly GivenAnswer[]): Promise<readonly Verdict[]>;
}

/** A completion of a problem, decoded. */
export interface GivenAnswer {
  readonly item: TaskItem;
  readonly completion: string;
  readonly context: VerifyContext;
}

/** A definition whose items and knobs are known to itself only; methods are checked bivariantly. */
export type AnyTaskDefinition = TaskDefinition<Json, Knobs>;
