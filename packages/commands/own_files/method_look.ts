/**
 * A method looked at while a small run asks it: what it gives for what, what it costs, and what a run can be trained on to no
 * good end. What breaks its contract fails in the run itself.
 */
import type { Method } from '../../../src/methods/method.ts';
import type {
  AdvantageEstimator,
  Aggregation,
  EvaluationFigure,
  LossContext,
  LossSequence,
  LossTerm,
  Objective,
  Ratio,
} from '../../../src/methods/points.ts';
import type { CreditedGroup, RolloutGroup } from '../../../src/methods/records.ts';
import type { MethodPoint } from '../../../src/methods/stage.ts';
import { ratioWarnings, slopesOfSurrogate, termWarnings } from './derivatives.ts';
import { type Example, shortNumber } from './say.ts';

/** What was seen of a method. */
export class MethodCheck {
  /** What no run can be trained with. */
  readonly findings = new Set<string>();
  /** What a run can be trained with, to no good end. */
  readonly warnings = new Set<string>();
  /** A few, by their texts. */
  readonly examples = new Map<string, Example>();
  /** Milliseconds for one completion of a batch; undefined where it is not asked about batches. */
  msPerCompletion: number | undefined;

  take({ warnings = [], examples = [] }: Look): void {
    for (const warning of warnings) this.warnings.add(warning);
    for (const example of examples) {
      if (this.examples.size < MOST_EXAMPLES) this.examples.set(JSON.stringify(example), example);
    }
  }

  timed(milliseconds: number, completions: number): void {
    this.msPerCompletion = Math.min(this.msPerCompletion ?? Number.POSITIVE_INFINITY, milliseconds / completions);
  }
}

const MOST_EXAMPLES = 6;
/** Calls whose first argument is compared before and after. */
const MOST_COMPARED = 4;
const WRITES = 'writes into what it is given, which others read after it — give copies.';

/** What is said of one call. */
interface Look {
  readonly warnings?: readonly string[];
  readonly examples?: readonly Example[];
}

type Credit = Pick<CreditedGroup, 'advantages'>;
type Groups = readonly RolloutGroup[];
type Estimate = ReturnType<EvaluationFigure['of']>;

/** At calls of which function a part is looked at, its arguments and what it gave; or once, without. */
const LOOKS: {
  readonly [P in MethodPoint]?: readonly [
    name: string | undefined,
    look: (part: never, given: never, gave: never) => Look,
  ];
} = {
  groupSteps: [
    'apply',
    (_: unknown, [groups]: readonly [Groups], gave: Groups) => ({
      examples: groups.map((group, g) => ({ given: rewardsText(group), gives: rewardsText(gave[g]) })),
    }),
  ],
  advantageEstimator: [
    'estimate',
    (part: AdvantageEstimator, [groups]: readonly [Groups], gave: readonly Credit[]) => {
      const known = groups.map((group) => ({ ...group, dead: part.isDead?.(group) ?? group.dead }));
      return {
        warnings: known.flatMap((group, g) => creditWarnings(group, gave[g])),
        examples: known.map((group, g) => {
          return { given: rewardsText(group), gives: `advantages ${numbersText(gave[g].advantages)}` };
        }),
      };
    },
  ],
  creditSteps: [
    'apply',
    (_: unknown, [groups]: readonly [readonly CreditedGroup[]], gave: readonly CreditedGroup[]) => ({
      warnings: gave.flatMap((group) => creditWarnings({ ...group, dead: true }, group)),
      examples: groups.map((group, g) => ({
        given: `advantages ${numbersText(group.advantages)}`,
        gives: creditText(gave[g] ?? group),
      })),
    }),
  ],
  ratio: [
    'measure',
    (part: Ratio, [sequence]: readonly [LossSequence]) => ({ warnings: ratioWarnings(part, sequence) }),
  ],
  objective: [
    undefined,
    (part: Objective) => {
      const slopes = 'add' in part ? [] : slopesOfSurrogate(part);
      const shown = slopes.filter(
        ({ advantage, logRatio }) => Math.abs(advantage) === 0.5 && Math.abs(logRatio) !== 0.1,
      );
      return {
        warnings: slopes.flatMap(({ warnings }) => warnings),
        examples: shown.map(({ advantage, logRatio, loss, slope }) => ({
          given: `ratio ${shortNumber(Math.exp(logRatio))}, advantage ${advantage}`,
          gives: `loss ${shortNumber(loss)}, slope ${shortNumber(slope)}`,
        })),
      };
    },
  ],
  lossTerms: [
    'add',
    (part: LossTerm, [sequences, , context]: readonly [readonly LossSequence[], unknown, LossContext]) => ({
      warnings: termWarnings(part, sequences, context),
    }),
  ],
  aggregation: [
    undefined,
    (part: Aggregation) => {
      const sizes = { completions: 8, lossTokens: 56, maxCompletionTokens: 20, microBatches: 1, microLossTokens: 56 };
      const weightOf = (tokens: number): number =>
        part(tokens, sizes, { groups: 2, groupTokens: 28, tokenWeight: tokens });
      const lengths = [1, 2, 5, 20];
      return {
        warnings: lengths.some((tokens) => weightOf(tokens) <= 0)
          ? ['gives a weight of 0 or less, which leaves a token out of the loss or turns it around']
          : [],
        examples: lengths.map((tokens) => ({
          given: `${tokens} of 56 tokens in 8 completions`,
          gives: `weight ${shortNumber(weightOf(tokens))} each`,
        })),
      };
    },
  ],
  evaluationFigures: [
    'of',
    (_: unknown, __: unknown, { mean, low, high }: Estimate) => ({
      warnings:
        low > mean || mean > high ? [`gives ${mean} as a mean outside of its own range, ${low} to ${high}`] : [],
    }),
  ],
};

/** The method, whose parts are looked at whenever a run asks them. */
export function lookedAt(method: Method<unknown>, point: MethodPoint, check: MethodCheck): Method<unknown> {
  return { ...method, create: (options, stage) => partLookedAt(method.create(options, stage), point, check) };
}

function partLookedAt(part: unknown, point: MethodPoint, check: MethodCheck): unknown {
  const isTerm = point === 'objective' && typeof part === 'object' && part !== null && 'add' in part;
  const [name, look] = LOOKS[isTerm ? 'lossTerms' : point] ?? [];
  if (look === undefined) return part;
  if (name === undefined) {
    check.take(look(part as never, [] as never, undefined as never));
    return part;
  }
  const call = (part as Readonly<Record<string, (...given: unknown[]) => unknown>>)[name].bind(part);
  let calls = 0;
  const value = (...given: unknown[]): unknown => {
    const isCompared = calls++ < MOST_COMPARED;
    const before = isCompared && textOf(given[0]);
    const start = performance.now();
    const gave = call(...given);
    const took = performance.now() - start;
    if (Array.isArray(given[0])) check.timed(took, completionsIn(given[0]));
    if (isCompared && textOf(given[0]) !== before) check.findings.add(WRITES);
    check.take(look(part as never, given as never, gave as never));
    return gave;
  };
  return Object.create(part as object, { [name]: { value } });
}

/** Groups, or entries of one completion each. */
const completionsIn = (entries: readonly { readonly rollouts?: readonly unknown[] }[]): number =>
  entries.reduce((sum, { rollouts = [0] }) => sum + rollouts.length, 0);

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (ArrayBuffer.isView(part) ? Array.from(part as Float64Array) : part));

/** @param group  marked as dead where its advantages need not be in the order of its rewards */
function creditWarnings({ rollouts, dead }: Pick<RolloutGroup, 'rollouts' | 'dead'>, { advantages }: Credit): string[] {
  const given: unknown = advantages; // a file is not held to the type
  const hasNull = rollouts.some(({ reward }, i) => reward === null && advantages[i] !== 0);
  const known = rollouts.flatMap(({ reward }, i) => (reward === null ? [] : [{ reward, advantage: advantages[i] }]));
  known.sort((a, b) => a.reward - b.reward);
  const [least, most] = [known.at(0), known.at(-1)];
  const isTurned = !dead && least !== undefined && most !== undefined && most.advantage < least.advantage;
  return [
    Array.isArray(given) &&
      'gives advantages as a list of numbers, where the types ask for a Float32Array: write Float32Array.from(…)',
    hasNull &&
      'gives an advantage to a completion without a reward (null), which is then trained on: give it 0, as estimateByGroup does',
    isTurned &&
      `gives a reward of ${shortNumber(least.reward)} a larger advantage than one of ${shortNumber(most.reward)} in the same group: the worse answer is made more likely`,
  ].filter((warning) => warning !== false);
}

function rewardsText({ rollouts, dead }: RolloutGroup): string {
  return `rewards ${rollouts.map(({ reward }) => (reward === null ? 'null' : shortNumber(reward))).join(', ')}${dead ? ' (dead)' : ''}`;
}

function creditText({ advantages, tokenAdvantages, tokenWeights, dead }: CreditedGroup): string {
  const byToken = tokenAdvantages === undefined ? '' : `, by token ${tokenAdvantages.map(numbersText).join(' | ')}`;
  const weights = tokenWeights === undefined ? '' : `, weights ${tokenWeights.map(numbersText).join(' | ')}`;
  return `${numbersText(advantages)}${byToken}${weights}${dead ? ' (dead)' : ''}`;
}

/** Up to eight numbers: `1, 0.25, 0`. */
function numbersText(values: ArrayLike<number>): string {
  const shown = Array.from(values).slice(0, 8).map(shortNumber).join(', ');
  return values.length > 8 ? `${shown}, …` : shown;
}
