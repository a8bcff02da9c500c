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

/** What is known of a task without its generator: enough to check a config, and to list tasks and knobs. */
export interface TaskCard<K extends Knobs> {
  readonly name: string;
  /** Published work that trained on it, or on a task of its kind: those who know it find the task by it. */
  readonly names?: readonly string[];
  /** What it asks, in a sentence. */
  readonly does?: string;
  /** One problem and a right answer, at the default knobs. */
  readonly example?: readonly [prompt: string, answer: string];
  /** Raised on ANY change of generated items or verdicts. */
  readonly version: number;
  readonly category: string;
  readonly tier: 1 | 2 | 3;
  /** The sandbox that its answers run in; the packages that it is made of are loaded with the task. */
  readonly sandbox?: SandboxName;
  /** What it asks of a server, by names of knobs; absent: it asks none. */
  readonly reaches?: Reach;
  /** Sub-scores that its verdicts have, where they have some; a reward may be one of them. */
  readonly parts?: readonly string[];
  /** Type, rule, default and text of each knob: the YAML, JSON Schema, help, docs and controls follow from it. */
  readonly knobs: KeyTable;
  /** Rules that combine several knobs. `given` is what was written, without the defaults. */
  checkKnobs?(knobs: K, given: Readonly<Record<string, unknown>>): readonly BrokenRule[];
  /** Presets, easiest first, each with the knobs that differ from the defaults; the index is the difficulty level. */
  readonly levels: readonly Partial<K>[];
  /** Knobs that decide no bit of a run: a resume may have other values. */
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
   * A costly condition on a problem: one without it is drawn again, as if `generate` had given null. It is asked only of
   * problems of the split that is drawn from, four in five of which would else be thrown away for a held-out one.
   */
  isFit?(identity: I, knobs: K): boolean;
  /** Knobs of the training stream where they are wider than those that are evaluated. */
  trainKnobs?(knobs: K): K;
  /** How often `generate` draws a problem, up to a factor, as evaluation weights it; absent where all are alike. */
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
   * The same problem under another prompt: of the same key, with the same right answers. Null where there is none; one whose
   * prompt is the same is none.
   */
  twin?(identity: I, knobs: K): I | null;
  /** The same problem as an English sentence or a few, for `style: plain`; what form the answer has is part of it. */
  question?(identity: I, knobs: K): string;
  /**
   * The problem that a text asks, null where it asks none: what lets `sample` judge a prompt that a person typed.
   * A problem whose own prompt is another text is not taken. Total and pure.
   */
  parse?(prompt: string, knobs: K): I | null;
  /** One answer of full score. */
  oracle(identity: I, knobs: K): string;
  /**
   * The oracle as it is written below `question`, where a pretrained model is asked and shown examples: of full score
   * too, in the notation that reads on from the question. Default: the oracle.
   */
  reply?(identity: I, knobs: K): string;
  /** What reward functions may read of a problem besides: a name and plain data each. */
  columns?(identity: I, knobs: K): Readonly<Record<string, Json>>;
  /**
   * Which answers are right: those of `oracle` and `solutions` alone, in whatever notation, which is the default; or
   * others too (`open`), which `verify` alone tells.
   */
  readonly answers?: 'listed' | 'open';
  /** What helps with a problem, from little to much, written in the task's notation; none is an answer. */
  hints?(identity: I, knobs: K): readonly string[];
  /** What is wrong with an answer, in the task's notation; '' where there is nothing to say. Never a solution. */
  feedback?(identity: I, answer: string, knobs: K): string;
  /** Further correct answers. */
  solutions?(identity: I, knobs: K): Iterable<string>;
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
   * A verdict takes time, as where an answer is run: `verify` is then called in threads of the host, where it has some,
   * with the knobs and with problems as JSON has them. It gives the same verdict wherever it is called.
   */
  readonly takesTime?: true;
  /**
   * The verdicts of many answers at once, in their order, there where they come from elsewhere and are waited for. It is
   * asked in the place of `verify` wherever that can be waited for; where a verdict is needed at once, in the middle of a
   * completion or of an episode, `verify` is, which gives the same verdict or is `judgedTogether`.
   */
  judge?(answers: readonly AskedAnswer<I>[], knobs: K): Promise<readonly Verdict[]>;
  /** What its answers run in, there where they run. */
  readonly sandboxEngine?: SandboxEngine;
  /** Whether its verdicts have steps where they are asked for; absent: never. */
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
  /** How it is played, where it is answered in several turns: `environmentTask` makes the rest of it. */
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
  /** There where it is answered in several turns; `completionTokens` are then those of all of them. */
  readonly turns?: TurnLimits;
  /** The limits hold in the tokens of any codec: nothing is measured. */
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
  /** What it may call, where its chat template shows tools. */
  readonly tools?: Message['tools'];
  /** Names of the tools that a policy may call, where there are some. */
  readonly toolNames?: readonly string[];
  /** What its answers run in, there where they run. */
  readonly sandboxEngine?: SandboxEngine;
  /** Its verdicts have steps where they are asked for. */
  readonly givesSteps?: boolean;
  /** Its verdicts say what is wrong where they are asked to. */
  readonly givesFeedback?: boolean;
  /** Item `index` of the endless training stream: random access, a pure function of (seed, index). */
  trainItem(seed: number, index: number): TaskItem;
  /** Its problems as episodes, there where it is answered in several turns: they are judged by these, not by `verify`. */
  readonly environment?: BoundEnvironment;
  /** What plays its problems, there where it is elsewhere. */
  readonly distant?: DistantEnvironment;
  /** Why problems that it holds out may be trained on, as a sentence without its end, where that was seen. */
  readonly leak?: string;
  /** Why a supervised stage has nothing to learn of it, as `rule; remedy`, where that is so. */
  readonly undemonstrated?: string;
  /** An episode of the warm start's teacher, there where it is answered in several turns. Pure in (seed, index). */
  demonstratedEpisode?(item: TaskItem, seed: number, index: number): PlayedEpisode;
  /** Different problems of the training stream; undefined where the task cannot list them. */
  trainProblems(): number | undefined;
  /** All held-out problems (or a fixed, unique sample of them where the space is large), in a fixed order. */
  heldOutItems(): readonly TaskItem[];
  /** The problem that a prompt asks; null where it asks none; undefined where the task has no `parse` to tell by. */
  parse(prompt: string): TaskItem | null | undefined;
  /** The longest ones, where the task knows them: their lengths in tokens bound those of all. */
  longItems?(): readonly TaskItem[];
  /** The same problem under another prompt, of the same key; undefined where the task cannot say it otherwise. */
  twin?(item: TaskItem): TaskItem | undefined;
  /** The whole of a conversation whose every assistant's turn a supervised stage learns; undefined: the demonstration. */
  dialogue?(item: TaskItem): readonly Message[] | undefined;
  /** What helps with a problem, from little to much; none where the task knows nothing but its answer. */
  hints?(item: TaskItem): readonly string[];
  /** Right answers, the item's own first; not all of them where there are many. */
  solutions?(item: TaskItem): readonly string[];
  /** A completion for the supervised warm start. Pure in (seed, index). */
  demonstration(item: TaskItem, seed: number, index: number): string;
  /** Judges the decoded completion (EOS stripped). Total and pure. */
  verify(item: TaskItem, completion: string, context: VerifyContext): Verdict;
  /** How its functions are called many times in a row, where its host watches them. */
  readonly repeat?: Repeat;
  /**
   * The verdicts of many completions, in their order, there where they take time: `verdictsOf` asks it in the place of
   * `verify`, which may throw there. A method that needs verdicts at once cannot train on such a task.
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
