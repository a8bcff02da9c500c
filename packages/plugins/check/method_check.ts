/**
 * A method looked at while a small run asks it: what it gives for what, what it costs, and what a run can be trained on to no
 * good end. What breaks its contract fails in the run itself.
 */
import type { Method } from '../../../src/methods/method.ts';
import type {
  Aggregation,
  EvaluationFigure,
  LossContext,
  LossGradient,
  LossSequence,
  LossTerm,
  Objective,
  ProblemRecord,
  Ratio,
  TokenWeights,
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
  readonly #examples = new Map<string, Example>();
  /** Milliseconds for one completion of a batch; undefined where it is not asked about batches. */
  msPerCompletion: number | undefined;

  /** A few, each another one. */
  get examples(): readonly Example[] {
    return [...this.#examples.values()].slice(0, MOST_EXAMPLES);
  }

  take({ warnings = [], examples = [] }: Look): void {
    for (const warning of warnings) this.warnings.add(warning);
    for (const example of examples) this.#examples.set(JSON.stringify(example), example);
  }

  timed(milliseconds: number, completions: number): void {
    this.msPerCompletion = Math.min(this.msPerCompletion ?? Number.POSITIVE_INFINITY, milliseconds / completions);
  }
}

const MOST_EXAMPLES = 6;
const WRITES = 'writes into what it is given, which others read after it — give copies.';

/** What is said of one call. */
interface Look {
  readonly warnings?: readonly string[];
  readonly examples?: readonly Example[];
}

/** How a part is looked at: at calls of one function, or once for all. */
interface Looking {
  readonly function?: string;
  /** Completions that a call is about. */
  readonly completions?: (given: never) => number;
  /** @param part  as it was made; @param gave  of a call with those arguments */
  look(part: never, given: never, gave: never): Look;
}

type Groups = readonly RolloutGroup[];
const completionsOf = ([groups]: readonly [Groups]): number =>
  groups.reduce((n, { rollouts }) => n + rollouts.length, 0);

/** By point. The others say what is wrong with them by how a run goes. */
const LOOKS: { readonly [P in MethodPoint]?: Looking } = {
  groupSteps: {
    function: 'apply',
    completions: completionsOf,
    look: (_: unknown, [groups]: readonly [Groups], gave: Groups) => ({
      examples: groups.map((group, g) => ({ given: rewardsText(group), gives: rewardsText(gave[g]) })),
    }),
  },
  advantageEstimator: {
    function: 'estimate',
    completions: completionsOf,
    look: (part: { isDead?(group: RolloutGroup): boolean }, [groups]: readonly [Groups], gave: readonly Credit[]) => {
      const known = groups.map((group) => ({ ...group, dead: part.isDead?.(group) ?? group.dead }));
      return {
        warnings: known.flatMap((group, g) => estimateWarnings(group, gave[g])),
        examples: known.map((group, g) => ({
          given: rewardsText(group),
          gives: `advantages ${numbersText(gave[g].advantages)}`,
        })),
      };
    },
  },
  creditSteps: {
    function: 'apply',
    completions: completionsOf,
    look: (_: unknown, [groups]: readonly [readonly CreditedGroup[]], gave: readonly CreditedGroup[]) => ({
      warnings: gave.flatMap((group) => [...listWarnings(group), ...nullWarnings(group, group)]),
      examples: groups.map((group, g) => ({
        given: `advantages ${numbersText(group.advantages)}`,
        gives: creditText(gave[g] ?? group),
      })),
    }),
  },
  ratio: {
    function: 'measure',
    completions: () => 1,
    look: (part: Ratio, [sequence, logRatios]: readonly [LossSequence, Float64Array]) => ({
      warnings: ratioWarnings(part, sequence),
      examples: [
        {
          given: `log-ratios of tokens ${numbersText(sequence.logprobs.map((x, t) => x - sequence.oldLogprobs[t]))}`,
          gives: numbersText(logRatios),
        },
      ],
    }),
  },
  objective: {
    look: (part: Objective) => {
      if ('add' in part) return {};
      const slopes = slopesOfSurrogate(part);
      return {
        warnings: slopes.flatMap(({ warnings }) => warnings),
        examples: slopes
          .filter(({ advantage, logRatio }) => Math.abs(advantage) === 0.5 && Math.abs(logRatio) !== 0.1)
          .map(({ advantage, logRatio, loss, slope }) => ({
            given: `ratio ${shortNumber(Math.exp(logRatio))}, advantage ${advantage}`,
            gives: `loss ${shortNumber(loss)}, slope ${shortNumber(slope)}`,
          })),
      };
    },
  },
  tokenWeights: {
    function: 'weigh',
    completions: ([sequences]: readonly [readonly LossSequence[]]) => sequences.length,
    look: (_: unknown, [sequences, all]: readonly [readonly LossSequence[], readonly TokenWeights[]]) => ({
      examples: all.slice(0, 3).map(({ weights, importance }, i) => ({
        given: `log-probs ${numbersText(sequences[i].logprobs)}, when sampled ${numbersText(sequences[i].oldLogprobs)}`,
        gives: `weights ${numbersText(weights.map((weight, t) => weight * importance[t]))}`,
      })),
    }),
  },
  lossTerms: {
    function: 'add',
    completions: ([sequences]: readonly [readonly LossSequence[]]) => sequences.length,
    look: (part: LossTerm, given: readonly [readonly LossSequence[], readonly LossGradient[], LossContext]) => {
      const [sequences, gradients, context] = given;
      return {
        warnings: termWarnings(part, sequences.map(withMask), context),
        examples: sequences.slice(0, 3).map(({ advantages, logprobs }, i) => ({
          given: `advantage ${shortNumber(advantages[0] ?? 0)}, log-probs ${numbersText(logprobs)}`,
          gives: `losses ${numbersText(gradients[i].losses)}, slopes ${numbersText(gradients[i].dLogprobs)}`,
        })),
      };
    },
  },
  aggregation: {
    look: (part: Aggregation) => {
      const sizes = { completions: 8, lossTokens: 56, maxCompletionTokens: 20, microBatches: 1, microLossTokens: 56 };
      const weights = [1, 2, 5, 20].map((tokens) => {
        const weight = part(tokens, sizes, { groups: 2, groupTokens: 28, tokenWeight: tokens });
        return { tokens, weight };
      });
      return {
        warnings: weights.some(({ weight }) => weight <= 0)
          ? ['gives a weight of 0 or less, which leaves a token out of the loss or turns it around']
          : [],
        examples: weights.map(({ tokens, weight }) => ({
          given: `${tokens} of 56 tokens in 8 completions`,
          gives: `weight ${shortNumber(weight)} each`,
        })),
      };
    },
  },
  evaluationFigures: {
    function: 'of',
    look: (part: EvaluationFigure, [problems]: readonly [readonly ProblemRecord[]], gave: Estimated) => {
      const { mean, low, high } = gave;
      const right = problems.flatMap(({ samples }) => samples).filter(({ score }) => score === 1).length;
      return {
        warnings:
          low > mean || mean > high ? [`gives ${mean} as a mean outside of its own range, ${low} to ${high}`] : [],
        examples: [
          {
            given: `${problems.length} problems, ${right} right samples in all`,
            gives: `${part.name} ${shortNumber(mean)} (${shortNumber(low)} to ${shortNumber(high)})`,
          },
        ],
      };
    },
  },
};

/** The second token of a completion is masked, as what others wrote is. */
const withMask = (sequence: LossSequence): LossSequence => ({
  ...sequence,
  coefficients: sequence.coefficients.map((weight, t) => (t === 1 ? 0 : weight)),
});

type Credit = Pick<CreditedGroup, 'advantages'>;
type Estimated = ReturnType<EvaluationFigure['of']>;

/** The method, whose parts are looked at whenever a run asks them. */
export function lookedAt(method: Method<unknown>, point: MethodPoint, check: MethodCheck): Method<unknown> {
  return { ...method, create: (options, stage) => partLookedAt(method.create(options, stage), point, check) };
}

/** Calls whose arguments are compared before and after. */
const MOST_COMPARED = 4;

function partLookedAt(part: unknown, named: MethodPoint, check: MethodCheck): unknown {
  const isTerm = named === 'objective' && typeof part === 'object' && part !== null && 'add' in part;
  const looking = LOOKS[isTerm ? 'lossTerms' : named];
  if (looking === undefined) return part;
  const { function: name, completions } = looking;
  if (name === undefined) {
    check.take(looking.look(part as never, [] as never, undefined as never));
    return part;
  }
  const call = (part as Readonly<Record<string, (...given: unknown[]) => unknown>>)[name].bind(part);
  let calls = 0;
  const value = (...given: unknown[]): unknown => {
    const isCompared = calls++ < MOST_COMPARED;
    const before = isCompared && textOf(given[0]);
    const start = performance.now();
    const gave = call(...given);
    if (completions !== undefined) check.timed(performance.now() - start, completions(given as never));
    if (isCompared && textOf(given[0]) !== before) check.findings.add(WRITES);
    check.take(looking.look(part as never, given as never, gave as never));
    return gave;
  };
  return Object.create(part as object, { [name]: { value } });
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (ArrayBuffer.isView(part) ? Array.from(part as Float64Array) : part));

const NULL_CREDIT =
  'gives an advantage to a completion without a reward (null), which is then trained on: give it 0, as estimateByGroup does';

function nullWarnings({ rollouts }: Pick<RolloutGroup, 'rollouts'>, { advantages }: Credit): string[] {
  return rollouts.some(({ reward }, i) => reward === null && advantages[i] !== 0) ? [NULL_CREDIT] : [];
}

function estimateWarnings(group: RolloutGroup, credit: Credit): string[] {
  const known = group.rollouts.flatMap(({ reward }, i) =>
    reward === null ? [] : [{ reward, advantage: credit.advantages[i] }],
  );
  const most = known.reduce((a, b) => (b.reward > a.reward ? b : a), known[0]);
  const least = known.reduce((a, b) => (b.reward < a.reward ? b : a), known[0]);
  const isTurned = !group.dead && most.advantage < least.advantage;
  return [
    ...listWarnings(credit),
    ...nullWarnings(group, credit),
    ...(isTurned
      ? [
          `gives a reward of ${shortNumber(least.reward)} a larger advantage than one of ${shortNumber(most.reward)} in the same group: the worse answer is made more likely`,
        ]
      : []),
  ];
}

function listWarnings(credit: Credit): string[] {
  const given: unknown = credit.advantages; // a file is not held to the type
  if (!Array.isArray(given)) return [];
  return ['gives advantages as a list of numbers, where the types ask for a Float32Array: write Float32Array.from(…)'];
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
