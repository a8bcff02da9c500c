/**
 * What a user's files must export, and what their functions must give: one table for every kind of export.
 *
 * It is checked where a function gives it. A number that is none would show as a loss that is not finite, and the learning
 * rate would be blamed.
 */
import { correct } from '../../src/data/judge.ts';
import { isVerdict } from '../../src/data/judging/is_verdict.ts';
import type { MethodPoint } from '../../src/methods/stage.ts';
import { wrongValue } from '../../src/rewards/reject.ts';
import type { Verdict } from '../../src/rewards/verdict.ts';
import { type Flaw, shown } from './calls.node.ts';
import { freezePlain } from './plain_data.ts';
import * as is from './shapes.node.ts';
import { isMapping, list, mapping, optional, type Shape, shape, shapeFlaw } from './shapes.node.ts';

/** Arguments of a call; those that the run gives have the types of their point. */
type Given = readonly unknown[];
type Mapping = Readonly<Record<string, unknown>>;
type Members = ExportContract['members'];

/** One member of an export. */
export interface Contract {
  /** The export is refused without it: always, or where this says so of the export. */
  readonly needed?: true | ((own: Mapping) => boolean);
  /** What it must be, where it is no function. */
  readonly fact?: (own: Mapping) => Shape;
  /** It is an export of this kind itself, or a function that makes one. */
  readonly holds?: Kind;
  readonly makes?: Kind;
  /** Too short for a time limit of its own. */
  readonly isShort?: true;
  /** Called for every token: a limit for each call would cost more than the call. `check` is asked where this is false. */
  readonly perToken?: (out: unknown) => boolean;
  /** It may give a promise, and whether that has the limit of a call. What it resolves to is checked. */
  readonly mayWait?: 'limited' | 'unlimited';
  /** It may give a generator; this many of its values are read in the call. */
  readonly reads?: number;
  /** What a call was about, as a message says it. */
  readonly about?: (given: Given) => string;
  /** What is wrong with what it gave, or did to its arguments. @param own  the export that it is of */
  readonly check?: (value: unknown, given: Given, own: Mapping) => Flaw | undefined;
  /** What the run gets of a value that was checked. */
  readonly as?: (value: never) => unknown;
}

/** A kind of export: in words, how to give one, and its members. */
export interface ExportContract {
  readonly noun: string;
  readonly remedy: string;
  readonly members: Readonly<Record<string, Contract>>;
}

/** Names of what an export lacks: `version (a number)`, `key()`. */
export function lacking(own: unknown, { members }: Pick<ExportContract, 'members'>): string[] {
  const given: Mapping = isMapping(own) ? own : {};
  return Object.entries(members).flatMap(([name, { needed, fact }]) => {
    if (needed === undefined || (needed !== true && !needed(given))) return [];
    const shape = fact?.(given);
    if (shape !== undefined) return shape.find(given[name]) === undefined ? [] : [`${name} (${shape.words})`];
    return typeof given[name] === 'function' ? [] : [`${name}()`];
  });
}

const needed = true;
const isShort = true;
const ofProblem = { about: ([problem]: Given) => ` for problem ${shown(problem)}` };
const ofAnswer = { about: ([problem, answer]: Given) => ` for problem ${shown(problem)} and answer ${shown(answer)}` };
const ofState = { about: ([state]: Given) => ` for state ${shown(state)}` };
const ofAction = { about: ([state, action]: Given) => ` for state ${shown(state)} and action ${shown(action)}` };
const ofText = { about: ([text]: Given) => ` for ${shown(text)}` };

/** A function that gives a value of this shape. */
const gives = (of: Shape, more: Contract = {}): Contract => ({ check: (value) => shapeFlaw(of, value), ...more });
/** A function that leaves an argument in this shape, having written into it. */
const leaves = (argument: number, of: Shape): Contract => ({
  check: (_, given) => shapeFlaw(of, given[argument], 'left'),
});

const TEXTS = list(is.TEXT);
const VERDICT = shape(
  'a verdict {score: 0 to 1 or null, status: correct, incorrect, invalid or truncated, reason}; its steps, if it has some, are {from, to, score: 0 to 1}',
  isVerdict,
);

/** A problem is kept in checkpoints, and asked about long after it was made. Freezes it. */
function problemFlaw(value: unknown): Flaw | undefined {
  const flaw = freezePlain(value);
  const rule = 'give plain data: texts, finite numbers, true, false, null, lists and mappings of these';
  return flaw === undefined ? undefined : [`gave a problem that a checkpoint cannot hold (${flaw})`, rule];
}
const givesProblem: Contract = { check: (value) => (value === null ? undefined : problemFlaw(value)) };

const TASK: Members = {
  name: { needed, fact: () => is.TEXT },
  family: { needed, fact: () => is.TEXT },
  version: { needed, fact: () => is.NUMBER },
  checkKnobs: gives(list(mapping({ rule: is.TEXT }), { words: 'a list of {key, rule}, empty where all is well' })),
  generate: { needed, ...givesProblem },
  parse: givesProblem,
  enumerate: {
    reads: Number.POSITIVE_INFINITY,
    check(value) {
      const flaw = shapeFlaw(optional(list(is.ANY, { words: 'a list of problems' })), value);
      return flaw ?? ((value ?? []) as unknown[]).map(problemFlaw).find((wrong) => wrong !== undefined);
    },
  },
  isFit: gives(is.TRUTH, ofProblem),
  trainKnobs: gives(is.MAPPING),
  frequency: gives(is.ABOVE_0, ofProblem),
  key: gives(is.TEXT, { needed, ...ofProblem }),
  splitKey: gives(is.TEXT, ofProblem),
  prompt: gives(is.TEXT, { needed, ...ofProblem }),
  question: gives(is.TEXT, ofProblem),
  columns: gives(is.MAPPING, ofProblem),
  oracle: gives(is.TEXT, { needed, ...ofProblem }),
  demonstration: gives(is.TEXT, { needed, ...ofProblem }),
  mutants: gives(list(mapping({ text: is.TEXT, maxScore: is.NUMBER }))),
  solutions: gives(TEXTS, { reads: 1000 }), // some problems have no end of them
  hints: gives(TEXTS),
  feedback: gives(is.TEXT),
  verify: gives(VERDICT, { needed: ({ judge }) => typeof judge !== 'function', ...ofAnswer }),
  judge: { mayWait: 'limited' },
  givesSteps: gives(is.TRUTH, { isShort }),
  chance: gives(is.NUMBER, { needed }),
  tokenizer: { needed, makes: 'tokenizer' },
  environment: { holds: 'environment' },
  limits: gives(mapping({ promptTokens: is.COUNT, completionTokens: is.COUNT }), { needed }),
  fixedCompletionTokens: gives(is.COUNT),
};

/** An id beyond the vocabulary would be a row beyond the embedding, which no kernel checks. */
const tokenIdOf = ({ vocabSize }: Mapping): Shape =>
  shape(
    `a whole number from 0 to ${Number(vocabSize) - 1}, as vocabSize is ${vocabSize}`,
    (id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) < Number(vocabSize),
  );

const TOKENIZER: Members = {
  vocabSize: { needed, fact: () => is.COUNT },
  eosTokenId: { needed, fact: tokenIdOf },
  padTokenId: { needed, fact: tokenIdOf },
  encode: {
    needed,
    isShort,
    ...ofText,
    check: (ids, _, own) => shapeFlaw(list(tokenIdOf(own), { words: 'an Int32Array of token ids' }), ids),
    as: (ids: ArrayLike<number>) => (ids instanceof Int32Array ? ids : Int32Array.from(ids)),
  },
  decode: gives(is.TEXT, { needed, isShort, ...ofText }),
  tokenText: gives(is.TEXT, { needed, isShort }),
  toJSON: { needed, isShort },
  configJSON: { needed, isShort },
};

/** Freezes it, so that a step that writes to the state that it is given fails there and then. */
function stateFlaw(value: unknown): Flaw | undefined {
  const flaw = freezePlain(value);
  return flaw === undefined ? undefined : [`gave a state with ${flaw}`, 'give a state of plain JSON'];
}

const STEP = mapping({
  state: is.ANY,
  observation: optional(is.TEXT),
  from: optional(is.TEXT),
  reward: optional(is.FINITE),
  potential: optional(is.FINITE),
  verdict: optional(VERDICT),
});
const TURN_LIMITS = mapping({ maxTurns: is.COUNT, actionTokens: is.COUNT, observationTokens: is.COUNT_FROM_0 });
const SCHEMAS = shape('a list of JSON Schemas', (all) => Array.isArray(all) && freezePlain(all) === undefined);

const ENVIRONMENT: Members = {
  start: { needed, ...ofProblem, check: stateFlaw },
  step: { needed, ...ofAction, check: (step) => shapeFlaw(STEP, step) ?? stateFlaw((step as Mapping).state) },
  expert: gives(is.TEXT, { needed, ...ofState }),
  random: gives(is.TEXT, { needed, ...ofState }),
  teacher: gives(is.TEXT, ofState),
  turnLimits: gives(TURN_LIMITS, { needed }),
  distance: gives(optional(is.COUNT_FROM_0), ofState),
  milestones: gives(list(is.TRUTH), ofState),
  compared: {
    ...ofState,
    check(value) {
      const flaw = shapeFlaw(mapping({ cells: TEXTS }), value);
      if (flaw !== undefined) return flaw;
      const { length } = (value as { readonly cells: readonly string[] }).cells; // just looked at
      return shapeFlaw(mapping({ goal: list(is.TEXT, { length }) }), value);
    },
  },
  calls: gives(mapping({ made: is.COUNT_FROM_0, open: is.COUNT_FROM_0 }), ofState),
  guard: gives(optional(is.TEXT), ofAction),
  toolNames: gives(TEXTS),
  introduction: gives(optional(mapping({ system: optional(is.TEXT), tools: optional(SCHEMAS) }))),
  inWords: { makes: 'environment' },
};

type Groups = readonly { readonly rollouts: readonly { readonly tokens: ArrayLike<number> }[] }[];

const FINITES = list(is.FINITE);
const TRAINED_TEXT = mapping({ prompt: is.LIST, tokens: is.LIST });
const WEIGHTS = list(mapping({ weights: list(is.FROM_0), importance: list(is.FROM_0) })); // one below 0 would turn the loss around
const GRADIENTS = list(
  mapping({ losses: FINITES, dLogprobs: FINITES, dEntropies: FINITES, dLogits: optional(FINITES) }),
);
const GROUPS = list(mapping({ rollouts: is.LIST }), { words: 'a list of groups, as they came' });
const REWARDED = mapping({
  tokens: is.LIST,
  reward: shape('a finite number or null', (reward) => reward === null || Number.isFinite(reward)),
});
const REWARDED_GROUP = mapping({ rollouts: list(REWARDED) });

/** The advantages of each group, one per completion; by token where it says so. */
function creditFlaw(value: unknown, groups: Groups): Flaw | undefined {
  const creditOf = (g: number): Shape => {
    const { rollouts } = groups[g];
    const { length } = rollouts;
    const ofTokens = (i: number): Shape => optional(list(is.FINITE, { length: rollouts[i].tokens.length }));
    const byToken = optional(list(ofTokens, { length }));
    const advantages = list(is.FINITE, { length });
    return mapping({ advantages, tokenAdvantages: byToken, tokenWeights: byToken, tokenSelection: byToken });
  };
  const words = `a list of ${groups.length}, {advantages} for each group`;
  return shapeFlaw(list(creditOf, { length: groups.length, words }), value);
}

/** By the point; an aggregation is a function itself. */
const METHOD_PARTS = {
  promptSource: {
    next: {
      needed,
      check(value, [count]) {
        const words = `a list of ${count} problems, as await draw(count) gives them`;
        return shapeFlaw(list(mapping({ key: is.TEXT }), { length: Number(count), words }), value);
      },
    },
  },
  rolloutStrategies: {
    rollOut: gives(GROUPS, { needed, mayWait: 'unlimited' }), // it waits for sampling
    select: gives(GROUPS),
  },
  tokenControls: { after: { needed, perToken: () => true } },
  groupSteps: {
    apply: {
      needed,
      check(value, [given]) {
        const { length } = given as Groups;
        const words = `a list of ${length} groups, one for each`;
        return shapeFlaw(list(REWARDED_GROUP, { length, words }), value);
      },
    },
  },
  advantageEstimator: { estimate: { needed, check: (value, [groups]) => creditFlaw(value, groups as Groups) } },
  creditSteps: {
    apply: { needed, check: (value) => shapeFlaw(GROUPS, value) ?? creditFlaw(value, value as Groups) },
  },
  ratio: {
    measure: {
      needed,
      check(_, [sequence, logRatios]) {
        const { coefficients } = sequence as { readonly coefficients: ArrayLike<number> };
        return shapeFlaw(
          list((t) => (coefficients[t] === 0 ? is.ANY : is.FINITE)),
          logRatios,
          'left',
        );
      },
    },
    spread: { needed, ...leaves(2, FINITES) },
  },
  objective: {
    at: {
      needed,
      perToken(out) {
        const { loss, slope, logprobSlope } = out as Readonly<Record<string, number>>;
        return Number.isFinite(loss + slope + logprobSlope);
      },
      check: (_, [point, out]) => [`left ${shown(out)} for ${shown(point)}`, 'set finite numbers'],
    },
    clipped: { perToken: () => true },
  },
  tokenWeights: { weigh: { needed, ...leaves(1, WEIGHTS) } },
  lossTerms: {
    add: { needed, ...leaves(1, GRADIENTS) },
    addTexts: leaves(1, GRADIENTS),
    texts: gives(list(TRAINED_TEXT)),
  },
  aggregation: { 'create()': gives(is.FINITE) },
  controllers: {},
  evaluationFigures: { of: gives(mapping({ mean: is.NUMBER, low: is.NUMBER, high: is.NUMBER }), { needed }) },
  demonstrations: { show: gives(optional(TRAINED_TEXT), { needed }) },
} satisfies Readonly<Record<MethodPoint | 'demonstrations', Members>>;

const SCORE = shape(
  'true, false, a score from 0 to 1, or a verdict',
  (value) =>
    typeof value === 'boolean' || (is.FROM_0.find(value) === undefined && Number(value) <= 1) || isVerdict(value),
);

function verdictOf(value: boolean | number | Verdict): Verdict {
  if (typeof value === 'object') return value;
  if (Number(value) === 1) return correct('right, as the file says', 'right');
  return { ...wrongValue('not right, as the file says'), score: Number(value) };
}

/** What a file may export. */
const EXPORTS = {
  reward: {
    noun: 'a reward',
    remedy: 'export {name, score(batch)}, or a function of options that returns one',
    members: { score: { needed } },
  },
  reporter: {
    noun: 'a reporter',
    remedy: 'export {report(event)}, or a function of options that returns one',
    members: { report: { needed } },
  },
  task: { noun: 'a task', remedy: 'export a TaskDefinition, as docs/own_task.md shows one', members: TASK },
  tokenizer: {
    noun: 'a tokenizer',
    remedy: 'give one as characterTokenizer or wordTokenizer of rlvr-train/tasks makes it',
    members: TOKENIZER,
  },
  environment: {
    noun: 'an environment',
    remedy: 'environmentTask() of rlvr-train/tasks makes the whole of one',
    members: ENVIRONMENT,
  },
  verifier: {
    noun: 'a comparison',
    remedy: 'export function verify(answer, row), which gives true or false',
    members: {
      verify: gives(SCORE, { needed, about: ([answer, row]) => ofAnswer.about([row, answer]), as: verdictOf }),
    },
  },
  method: {
    noun: 'a method',
    remedy: 'export method({id, about, options, create})',
    members: { id: { needed, fact: () => is.TEXT }, options: { needed, fact: () => is.MAPPING }, create: { needed } },
  },
} satisfies Readonly<Record<string, ExportContract>>;

export type Kind = keyof typeof EXPORTS;
export const CONTRACTS: Readonly<Record<Kind, ExportContract>> = EXPORTS;
export { METHOD_PARTS };
