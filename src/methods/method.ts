/**
 * What a method is: one file, one line in the list of its point, one test. It declares its options, texts and uses next
 * to its formula; config, JSON Schema and documentation are made from the declaration.
 */
import type { TaskItem } from '../data/task.ts';
import type { Rng } from '../kernels/philox.ts';
import type { Json } from '../options/json.ts';
import type { Key, KeyTable, Plugin, Values } from '../options/keys.ts';
import { schedulable } from '../options/schedule.ts';
import type { TrainedText } from './loss_points.ts';
import type { DemonstrationSource } from './points.ts';
import type { GrpoStageConfig, MethodPoint, MethodsConfig, SftStageConfig } from './stage.ts';
import type { FollowUpTurn } from './step_context.ts';
import type { Use } from './uses/use.ts';
import type { TypicalLengths, Work } from './work.ts';

export type { ParameterSet } from './parameter_sets.ts';
export type { FollowUpTurn, StepContext } from './step_context.ts';

/** A method of the point whose part it makes. @typeParam Stage  the kind of stage that has its point */
export interface Method<Part, Options extends KeyTable = KeyTable, Stage = GrpoStageConfig> {
  /** Name in the YAML and in the documentation. */
  readonly id: string;
  readonly about: About;
  /** Type, rule, default and text of each option, declared as the keys of a config are. */
  readonly options: Options;
  /** Its options may also be written among the keys of the stage, under TRL's names. */
  readonly optionsAreStageKeys?: true;
  /** A key of the stage that puts the method into it. */
  readonly switchedOnBy?: Switch;
  /** A stage may have it several times, with different options; further ones log as `<id>#2/…`. */
  readonly isRepeatable?: true;
  /** Values of TRL's `loss_type` that mean an objective, each with the aggregation that goes with it. */
  readonly lossTypes?: Readonly<Record<string, string>>;
  /** Fills in options that follow from others. @param refuse  reports a combination that cannot work: `rule; remedy` */
  complete?(options: Values<Options>, refuse: (name: keyof Options, rule: string) => void): Values<Options>;
  /** Options, by YAML key, that must be equal in all methods of a stage that list them here. */
  readonly agrees?: readonly string[];
  /** Why it cannot be in this stage: `rule; remedy`. */
  readonly conflict?: Look<string | undefined>;
  /** Warns before step 1 of what is biased, unsafe or without effect in this stage: `finding; remedy`. */
  readonly warn?: Look<Said>;
  /** The same for what is merely worth knowing. */
  readonly note?: Look<Said>;
  /**
   * What it acts on, if a stage may lack that; it is then reported to be without effect. Undefined: it acts in any
   * stage.
   */
  readonly actsOn?: ActsOn | ((options: Values<Options>, stage: GrpoStageConfig) => ActsOn | undefined);
  /** Another method of the same point that it equals, bit for bit, always or with certain options. */
  readonly sameAs?: SameAs;
  /** It intentionally changes nothing in the run. */
  readonly onlyMeasures?: true;
  /** Codes of the diagnoses that it remedies: `entropy-collapse`. */
  readonly against?: readonly string[];
  /** Methods that its source combines it with. Missing ones are named before step 1, and all on its page. */
  readonly companions?: readonly Companion[];
  /**
   * Some of its completions are not the policy's own at the stage's temperature, so that their ratio is not 1 at the first
   * update either (`Rollout.isOffPolicy`).
   */
  samplesOffPolicy?: boolean | ((options: Values<Options>, stage: GrpoStageConfig) => boolean);
  /** A group step or strategy changes what the reward functions pay; for some, the options decide. */
  readonly pays?: Payment | ((written: Readonly<Record<string, Json>>) => Payment | undefined);
  /**
   * It pays by labels other than verdicts, such as votes or noise, so methods that read verdicts would train on other
   * labels.
   */
  readonly relabels?: true;
  /**
   * It chooses, pays or teaches by verdicts, whatever the rewards: always, unless it has `solved_reward`, or with some
   * options. `some`: only by those of a declared share of the completions.
   */
  readonly readsVerdicts?: true | 'some' | ((options: Values<Options>) => boolean);
  /** An estimator or a credit step that reads each reward separately, or none, instead of the total. */
  readonly readsRewards?: (options: Values<Options>) => 'each' | 'none' | undefined;
  /** An estimator that does not compare the completions of a group, which may then be of one. */
  readonly takesSingles?: true;
  /** A prompt source that repeats problems. */
  readonly repeatsProblems?: true;
  /** Whether it keeps the policy from flattening; by default only loss terms do. */
  readonly holdsPolicy?: boolean;
  /** Its traits for diagnostics and other methods. */
  readonly tells?: readonly Telling[] | ((options: Values<Options>) => readonly Telling[]);
  /** Its extra work per step, for the estimate of time; absent: negligible. */
  work?(options: Values<Options>, stage: GrpoStageConfig, lengths: TypicalLengths): Work;
  /** Origins of its completions (`Rollout.origin`) that saw, or are, a hint or an answer. */
  readonly helps?: readonly string[];
  /** What it uses of the run: the union over a stage decides programs, memory, and what a task must provide. */
  uses?(options: Values<Options>, stage: Stage): readonly Use[];
  /**
   * Demonstrates how it prompts the policy, in an earlier supervised stage, because a policy does not write what it
   * never saw. Undefined: this problem is shown unchanged.
   */
  demonstrate?(problem: DemonstratedProblem, options: Values<Options>): TrainedText | undefined;
  create(options: Values<Options>, stage: Stage): Part;
}

/**
 * A method that equals another one. Both names stay, and a config keeps the one that it uses. Shared options have the
 * same meaning.
 */
export interface SameAs {
  /** Options, by YAML key, with which it equals the other; absent: it always does. */
  readonly given?: Readonly<Record<string, Json>>;
  /** The other method. */
  readonly id: string;
  /** Options of the other, by YAML key. */
  readonly options: Readonly<Record<string, Json>>;
}

/**
 * How a completion's reward changes:
 *
 *   changes    it is another number, which depends on what it was
 *   makes      the total is made of the rewards again, whatever it was
 *   replaces   it is a number of its own, whatever it was
 */
export interface Payment {
  readonly does: 'changes' | 'makes' | 'replaces';
  /** The single reward that it changes, after which all are summed again. Absent: the total. */
  readonly reward?: string;
}

/** A method that demonstrates multi-turn problems in a supervised stage. */
export type DemonstrationMethod = Method<DemonstrationSource, KeyTable, SftStageConfig>;

/**
 * Traits of a method that others refer to:
 *
 *   hints         shows the policy hints or answers where it fails, until it does without
 *   judges        asks the policy for verdicts on answers
 *   replays       trains on completions of earlier steps
 *   votes         takes the answer that most of a group give for the right one
 *   clips         bounds ratios, and measures how often (`clip_ratio/region_mean`)
 *   kl            measures the KL to the reference (`kl`)
 *   truncation    weighs completions by what top_k, top_p and min_p left of the policy
 *   masks-ends    leaves completions without an end out of the loss
 *   group-scale   divides advantages by the deviation of their group
 *   turns         credits single turns of an episode by what they were paid
 *   weighs-stale  weighs tokens by how far the policy is, before the first step on a batch, from that which sampled it
 *   learns-apart  has parameters of its own, and learns even where the gradient of the policy is 0
 *   uncentred     compares a reward with 0: an advantage is the reward, up to a scale of the whole batch
 *   rows          trains on completions of rows in the place of samples
 */
export type Telling =
  | 'hints'
  | 'judges'
  | 'replays'
  | 'votes'
  | 'clips'
  | 'kl'
  | 'truncation'
  | 'masks-ends'
  | 'group-scale'
  | 'turns'
  | 'weighs-stale'
  | 'learns-apart'
  | 'uncentred'
  | 'rows';

/**
 * What a method acts on. In a stage without it the method does nothing; at a point with a default, it equals the
 * default.
 *
 *   moved            a policy that has left the one that sampled: some ratio is not 1
 *   moved or tokens  that, or a completion whose tokens differ in their advantages
 *   others           completions that the policy did not sample
 */
export type ActsOn = 'moved' | 'moved or tokens' | 'others';

/** A method of a stage, as the other methods see it. */
export interface Member {
  readonly point: MethodPoint;
  readonly method: Method<unknown>;
  /** As the config gives it. */
  readonly plugin: Plugin;
  /** Its options where schedules begin. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Its uses of the run, at the start and the end of schedules. */
  readonly uses: readonly Use[];
  /** Its extra work per step, likewise. */
  works(lengths: TypicalLengths): readonly Work[];
}

/** A problem of a supervised stage, with the pieces of a demonstration in a method's form. */
export interface DemonstratedProblem {
  readonly item: TaskItem;
  /** As it is asked. */
  readonly prompt: Int32Array;
  readonly rng: Rng;
  /** An answer as the stage would show it, without EOS. */
  readonly answer: Int32Array;
  readonly isAnswerRight: boolean;
  /** An attempt without EOS, right or wrong at random with about equal chance. */
  readonly attempt: Int32Array;
  readonly isAttemptRight: boolean;
  /** The tokens of a word that the method uses. */
  word(name: string): Int32Array;
  /** The prompt after answers, each followed by a word. */
  followUp(...turns: readonly FollowUpTurn[]): Int32Array;
  /** The prompt, showing these texts besides. */
  shown(item: TaskItem, ...texts: readonly Int32Array[]): Int32Array;
  /** A completion of these tokens, with its end. */
  ended(tokens: Int32Array): Int32Array;
}

/** A companion that a method should have. */
export interface Companion {
  /** Any one of these methods. */
  readonly ids: readonly string[];
  /** The line of a stage that adds it: `aggregation: seq-mean`. */
  readonly line: string;
  /** Its purpose: `so that each group weighs the same`. */
  readonly why: string;
}

/** One text, several, or nothing to say. */
export type Said = string | readonly string[] | undefined;

/** Examines the stage that a method is in. @param written  its options by YAML key */
export type Look<Found> = (
  written: Readonly<Record<string, Json>>,
  methods: MethodsConfig,
  stage: GrpoStageConfig,
  members: readonly Member[],
) => Found;

/** TRL's way to ask for a method: a key of its own. */
export interface Switch {
  readonly key: Key;
  /**
   * The options, by YAML key, that a value means; undefined if it leaves the method out. @param given reads another key
   * of the stage
   */
  on(value: unknown, given: (yaml: string) => unknown): Readonly<Record<string, Json>> | undefined;
  /** The value that leaves the method out; absent: the key is then omitted. */
  off?: Json;
  /** The value that means these options; undefined if there is none. */
  written(options: Readonly<Record<string, Json>>): Json | undefined;
}

/** A method's texts for lists, its page and `explain`. */
export interface About {
  readonly does: string;
  /** Its other names, in its paper or other trainers, which a search finds. */
  readonly names?: readonly string[];
  readonly formula: string;
  /** arXiv number, or 'own'. */
  readonly source: string;
  /** Origin of the formula: the paper's own, derived from the paper, or ours. */
  readonly certainty: 'paper' | 'after the paper' | 'own';
  /** When it helps, and when not, for a method that none of our benchmarks has measured. */
  readonly when?: string;
}

/** A declaration in a file, which may leave out empty options. */
export type Declared<Part, Options extends KeyTable, Stage = GrpoStageConfig> = Omit<
  Method<Part, Options, Stage>,
  'options'
> & {
  readonly options?: Options;
};

/**
 * Declares a method: its option types reach `create`, and are erased outside. A number among them may be given as a
 * schedule; `create` is then called for each step, and gets the number of that step.
 */
export function method<Part, Options extends KeyTable, Stage = GrpoStageConfig>(
  declared: Declared<Part, Options, Stage>,
): Method<Part, KeyTable, Stage> {
  const { switchedOnBy } = declared;
  const options = Object.fromEntries(
    Object.entries(declared.options ?? {}).map(([name, key]) => [name, schedulable(key)]),
  );
  return {
    ...(declared as unknown as Method<Part, KeyTable, Stage>), // options come out of the very tables that they are typed by
    options,
    ...(switchedOnBy && { switchedOnBy: { ...switchedOnBy, key: schedulable(switchedOnBy.key) } }),
  };
}

/** The switch of a term whose weight is a stage key: 0 leaves it out. */
export function coefficientSwitch(weight: Key): Switch {
  return {
    key: weight,
    on: (value) => (value === 0 ? undefined : { [weight.yaml]: value as number }),
    off: 0,
    written: (options) => options[weight.yaml] ?? 0,
  };
}
