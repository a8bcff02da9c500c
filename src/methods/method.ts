/**
 * What a method is: one file, one line in the list of its point, one test. Its options, its words and what it asks of
 * the run are declared beside its formula; config, JSON Schema and documentation are made of the declaration.
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
  /** As in the YAML and in the documentation. */
  readonly id: string;
  readonly about: About;
  /** Type, rule, default and text of each option, declared as the keys of a config are. */
  readonly options: Options;
  /** Its options may also be written among the keys of the stage, under TRL's names. */
  readonly optionsAreStageKeys?: true;
  /** A key of the stage that puts the method into it. */
  readonly switchedOnBy?: Switch;
  /** A stage may have it several times, with other options; the further ones log as `<id>#2/…`. */
  readonly isRepeatable?: true;
  /** Values of TRL's `loss_type` that mean an objective, each with the aggregation that goes with it. */
  readonly lossTypes?: Readonly<Record<string, string>>;
  /** Fills in options that follow from others. @param refuse  reports a combination that cannot work: `rule; remedy` */
  complete?(options: Values<Options>, refuse: (name: keyof Options, rule: string) => void): Values<Options>;
  /** Options, as the YAML spells them, that mean the same in every method of a stage which lists them here: they are equal there. */
  readonly agrees?: readonly string[];
  /** Why it cannot be in such a stage: `rule; remedy`. */
  readonly conflict?: Look<string | undefined>;
  /** What works in such a stage, but is biased, unsafe or without effect: `what is so; remedy`. Said before step 1. */
  readonly warn?: Look<Said>;
  /** The same, of what is no more than worth knowing. */
  readonly note?: Look<Said>;
  /** What it acts on, if a stage may be without that: it is then said to be in vain. Undefined: it acts in any stage. */
  readonly actsOn?: ActsOn | ((options: Values<Options>, stage: GrpoStageConfig) => ActsOn | undefined);
  /** Another method of the same point that it is, to the bit: always, or with some of its options. */
  readonly sameAs?: SameAs;
  /** It changes nothing of the run, by intent. */
  readonly onlyMeasures?: true;
  /** Codes of the diagnoses that it is made against: `entropy-collapse`. */
  readonly against?: readonly string[];
  /** What its source has beside it. One that a stage is without is named before step 1, and all of them on its page. */
  readonly companions?: readonly Companion[];
  /**
   * Some of its completions are not the policy's own at the stage's temperature, so that their ratio is not 1 at the first
   * update either (`Rollout.isOffPolicy`).
   */
  samplesOffPolicy?: boolean | ((options: Values<Options>, stage: GrpoStageConfig) => boolean);
  /** A group step or a strategy pays completions otherwise than the reward functions do; of some, as their options say. */
  readonly pays?: Payment | ((written: Readonly<Record<string, Json>>) => Payment | undefined);
  /** It pays what something else than verdicts calls right, as votes or noise do: who reads verdicts would train on other labels. */
  readonly relabels?: true;
  /**
   * It chooses, pays or teaches by verdicts, whatever completions are paid: always, unless it is given `solved_reward`, or
   * with some options. `some`: it asks for those of a share of the completions, and says so.
   */
  readonly readsVerdicts?: true | 'some' | ((options: Values<Options>) => boolean);
  /** An estimator or a credit step does not read the total: it reads each reward by itself, or none. */
  readonly readsRewards?: (options: Values<Options>) => 'each' | 'none' | undefined;
  /** A prompt source asks a problem again. */
  readonly repeatsProblems?: true;
  /** Whether it keeps the policy from flattening; by default a term of the loss does, and nothing else. */
  readonly holdsPolicy?: boolean;
  /** What it does that diagnostics and other methods speak of. */
  readonly tells?: readonly Telling[] | ((options: Values<Options>) => readonly Telling[]);
  /** What it adds to the work of a step, for the estimate of time; absent: nothing that counts. */
  work?(options: Values<Options>, stage: GrpoStageConfig, lengths: TypicalLengths): Work;
  /** Origins of its completions (`Rollout.origin`) that saw a hint or an answer, or are one. */
  readonly helps?: readonly string[];
  /** What it asks of the run: the union over a stage decides programs, memory, and what a task must give. */
  uses?(options: Values<Options>, stage: Stage): readonly Use[];
  /**
   * How it speaks to the policy, for a supervised stage before it: what a policy never saw it does not write. Undefined:
   * this problem is shown as it is.
   */
  demonstrate?(problem: DemonstratedProblem, options: Values<Options>): TrainedText | undefined;
  create(options: Values<Options>, stage: Stage): Part;
}

/**
 * A method that is another one under a second name. Both names stay, and a config keeps the one that it was written with.
 * Options that both methods have are the same in both.
 */
export interface SameAs {
  /** Options at which it is the other, as the YAML spells them; absent: it always is. */
  readonly given?: Readonly<Record<string, Json>>;
  /** The other method. */
  readonly id: string;
  /** Options of the other, as the YAML spells them. */
  readonly options: Readonly<Record<string, Json>>;
}

/**
 * What becomes of what a completion is paid:
 *
 *   changes    it is another number, which depends on what it was
 *   makes      the total is made of the rewards again, whatever it was
 *   replaces   it is a number of its own, whatever it was
 */
export interface Payment {
  readonly does: 'changes' | 'makes' | 'replaces';
  /** The one reward that it is about; all are added up again then. Absent: the total. */
  readonly reward?: string;
}

/** What a supervised stage shows of problems that are played in turns. */
export type DemonstrationMethod = Method<DemonstrationSource, KeyTable, SftStageConfig>;

/**
 * What a method does that others speak of:
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
 *   uncentred     compares a reward with 0: an advantage is the reward, up to a scale of the whole batch
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
  | 'uncentred';

/**
 * What a method acts on. In a stage without it the method does nothing; at a point that has a default, it gives what the
 * default gives.
 *
 *   moved            a policy that has left the one that sampled: some ratio is not 1
 *   moved or tokens  that, or a completion whose tokens differ in their advantages
 *   others           completions that the policy did not sample
 */
export type ActsOn = 'moved' | 'moved or tokens' | 'others';

/** A method of a stage, for what others of the stage say about it. */
export interface Member {
  readonly point: MethodPoint;
  readonly method: Method<unknown>;
  /** As the config gives it. */
  readonly plugin: Plugin;
  /** Its options where schedules begin. */
  readonly options: Readonly<Record<string, unknown>>;
  /** What it asks of the run, where schedules begin and where they end. */
  readonly uses: readonly Use[];
  /** What it adds to a step's work, likewise. */
  works(lengths: TypicalLengths): readonly Work[];
}

/** A problem of a supervised stage, with what a demonstration of a method's own form is made of. */
export interface DemonstratedProblem {
  readonly item: TaskItem;
  /** As it is asked. */
  readonly prompt: Int32Array;
  readonly rng: Rng;
  /** An answer as the stage would show it, without its end. */
  readonly answer: Int32Array;
  readonly isAnswerRight: boolean;
  /** Somebody's answer without an end; right or wrong by chance, about as often. */
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

/** What a method is meant to have beside it. */
export interface Companion {
  /** Any one of these methods. */
  readonly ids: readonly string[];
  /** The line of a stage that puts it there: `aggregation: seq-mean`. */
  readonly line: string;
  /** What it is there for: `so that each group weighs the same`. */
  readonly why: string;
}

/** One text, several, or nothing to say. */
export type Said = string | readonly string[] | undefined;

/** Looks at the stage that a method is in. @param written  its options as the YAML spells them */
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
   * The options that a value means, as the YAML spells them; undefined where it leaves the method out.
   * @param given  what is written for another key of the stage
   */
  on(value: unknown, given: (yaml: string) => unknown): Readonly<Record<string, Json>> | undefined;
  /** The value that leaves the method out; absent: the key is then not written. */
  off?: Json;
  /** The value that means these options; undefined where none does. */
  written(options: Readonly<Record<string, Json>>): Json | undefined;
}

/** What a method says of itself: for lists, its page and `explain`. */
export interface About {
  readonly does: string;
  /** What else it is called: by its paper, by other trainers. A search for one of them finds it. */
  readonly names?: readonly string[];
  readonly formula: string;
  /** arXiv number, or 'own'. */
  readonly source: string;
  /** What the formula is: the paper's own, one written after the paper, or ours. */
  readonly certainty: 'paper' | 'after the paper' | 'own';
  /** When it helps, and when it does not; of one that no benchmark of ours has measured. */
  readonly when?: string;
}

/** As a file declares it: one without options need not say so. */
export type Declared<Part, Options extends KeyTable, Stage = GrpoStageConfig> = Omit<
  Method<Part, Options, Stage>,
  'options'
> & {
  readonly options?: Options;
};

/**
 * Declares a method: the types of its options reach `create`, and are forgotten outside. A number among them may be given
 * as a schedule; `create` is then called for each step, and gets the number of that step.
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

/** The switch of a term whose weight is a key of the stage: 0 leaves it out. */
export function coefficientSwitch(weight: Key): Switch {
  return {
    key: weight,
    on: (value) => (value === 0 ? undefined : { [weight.yaml]: value as number }),
    off: 0,
    written: (options) => options[weight.yaml] ?? 0,
  };
}
