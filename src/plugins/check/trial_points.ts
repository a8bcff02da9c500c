/** How a part of each point is tried on made-up groups: what it is called with, and what is said of what it gives. */
import type { StageMethods } from '../../methods/create.ts';
import type { LossContext, PointParts, ProblemRecord } from '../../methods/points.ts';
import type { CreditedGroup, RolloutGroup } from '../../methods/records.ts';
import type { MethodPoint } from '../../methods/stage.ts';
import type { StepContext } from '../../methods/step_context.ts';
import { turnsOf } from '../../methods/support/rollouts/turns.ts';
import { derivativeWarnings, gradientsOf, ratioWarnings, slopesOfSurrogate, surrogateExamples } from './derivatives.ts';
import { credited, madeUpContext, madeUpSequences, sizesOf, type TriedStage } from './made_up_groups.ts';
import { type Example, shortNumber } from './say.ts';

/** A part that is about to be asked about one batch. */
export interface Trial {
  /** What it is given and may not write into. */
  readonly given: unknown;
  call(): unknown;
  look(): Look;
}

/** What is said of what a part gave. */
interface Look {
  /** What a run can be trained on, to no good end. */
  readonly warnings: readonly string[];
  /** For people. */
  readonly examples: readonly Example[];
  /** It gave no advantage at all where rewards differ, as one that learns from batches may at first. */
  readonly isSilent?: boolean;
}

/** What a trial is made of besides the part. */
export interface TrialInput extends TriedStage {
  readonly batch: readonly RolloutGroup[];
  /** The other parts of the stage. */
  readonly methods: StageMethods;
}

type Trials = { readonly [P in MethodPoint]?: (part: PointParts[P], input: TrialInput) => Trial };

/** By point. The others need a policy to be asked: they sample, or act on a run. */
export const TRIALS: Trials = {
  groupSteps(part, { batch, ...tried }) {
    let stepped: readonly RolloutGroup[] = [];
    return {
      given: batch,
      call: () => {
        stepped = part.apply(batch, madeUpContext(tried));
        return stepped.map(({ dead, rollouts }) => [
          dead,
          rollouts.map(({ reward, rewardParts }) => [reward, rewardParts]),
        ]);
      },
      look: () => ({
        warnings: [],
        examples: batch.map((group, g) => ({ given: rewardsText(group), gives: rewardsText(stepped[g]) })),
      }),
    };
  },
  advantageEstimator(part, { batch, ...tried }) {
    let estimated: readonly Pick<CreditedGroup, 'advantages' | 'tokenAdvantages'>[] = [];
    return {
      given: batch,
      call: () => {
        estimated = part.estimate(batch, madeUpContext(tried));
        return estimated;
      },
      look: () => {
        const known = batch.map((group): RolloutGroup => ({ ...group, dead: part.isDead?.(group) ?? group.dead }));
        const isZero = (_: RolloutGroup, g: number) => estimated[g].advantages.every((advantage) => advantage === 0);
        const live = known.filter(({ dead }) => !dead);
        return {
          warnings: known.flatMap((group, g) => estimateWarnings(group, estimated[g])),
          examples: batch.map((group, g) => ({
            given: rewardsText(group),
            gives: `advantages ${numbersText(estimated[g].advantages)}`,
          })),
          isSilent: live.length > 0 && known.every(isZero),
        };
      },
    };
  },
  creditSteps(part, { batch, ...tried }) {
    const given = credited(batch);
    let stepped: readonly CreditedGroup[] = [];
    return {
      given,
      call: () => {
        stepped = part.apply(given, madeUpContext(tried));
        return stepped.map(({ rollouts: _, ...credit }) => credit);
      },
      look: () => ({
        warnings: stepped.flatMap((group) => [
          ...listWarnings(group),
          ...(group.rollouts.some(({ reward }, i) => reward === null && group.advantages[i] !== 0)
            ? [NULL_CREDIT]
            : []),
        ]),
        examples: given.map((group, g) => ({
          given: `advantages ${numbersText(group.advantages)}`,
          gives: creditText(stepped[g] ?? group),
        })),
      }),
    };
  },
  ratio(part, { batch }) {
    const sequences = madeUpSequences(credited(batch));
    const logRatios = sequences.map(({ logprobs }) => new Float64Array(logprobs.length));
    return {
      given: sequences,
      call: () => {
        sequences.forEach((sequence, i) => void part.measure(sequence, logRatios[i]));
        return logRatios;
      },
      look: () => ({
        warnings: ratioWarnings(part, sequences),
        examples: sequences.slice(0, 3).map(({ logprobs, oldLogprobs }, i) => ({
          given: `log-ratios of tokens ${numbersText(logprobs.map((logprob, t) => logprob - oldLogprobs[t]))}`,
          gives: numbersText(logRatios[i]),
        })),
      }),
    };
  },
  objective(part, input) {
    const [own] = input.methods.lossTerms;
    const trial = termTrial(own.part, input);
    if ('add' in part) return trial;
    return {
      ...trial,
      call: () => [slopesOfSurrogate(part), trial.call()],
      look: () => ({
        warnings: [
          ...new Set([...slopesOfSurrogate(part).flatMap(({ warnings }) => warnings), ...trial.look().warnings]),
        ],
        examples: surrogateExamples(part),
      }),
    };
  },
  tokenWeights(part, input) {
    const sequences = madeUpSequences(credited(input.batch));
    const context = lossContext(input, sequences);
    const all = sequences.map(({ logprobs: { length } }) => ({
      weights: new Float64Array(length).fill(1),
      importance: new Float64Array(length).fill(1),
    }));
    return {
      given: sequences,
      call: () => {
        part.begin?.(credited(input.batch), context);
        part.observe?.(sequences, context);
        part.weigh(sequences, all, context);
        return all;
      },
      look: () => ({
        warnings: [],
        examples: all.slice(0, 3).map(({ weights, importance }, i) => ({
          given: `log-probs ${numbersText(sequences[i].logprobs)}, when sampled ${numbersText(sequences[i].oldLogprobs)}`,
          gives: `weights ${numbersText(weights.map((weight, t) => weight * importance[t]))}`,
        })),
      }),
    };
  },
  lossTerms: termTrial,
  aggregation(part, input) {
    const sequences = madeUpSequences(credited(input.batch));
    const sizes = sizesOf(sequences, input);
    const place = { groups: input.batch.length, groupTokens: sizes.lossTokens };
    const lengths = [1, 2, 5, 20];
    const weightOf = (tokens: number): number => part(tokens, sizes, { ...place, tokenWeight: tokens });
    return {
      given: sizes,
      call: () => lengths.map(weightOf),
      look: () => ({
        warnings: lengths.some((tokens) => weightOf(tokens) <= 0)
          ? ['gives a weight of 0 or less, which leaves a token out of the loss or turns it around']
          : [],
        examples: lengths.map((tokens) => ({
          given: `${tokens} of ${sizes.lossTokens} tokens in ${sizes.completions} completions`,
          gives: `weight ${shortNumber(weightOf(tokens))} each`,
        })),
      }),
    };
  },
  evaluationFigures(part, { batch }) {
    const problems = batch.map(({ item, rollouts }): ProblemRecord => {
      const [greedy, ...samples] = rollouts.map(({ verdict }) => verdict);
      const [greedyAnswer, ...answers] = rollouts.map(({ text, tokens, logprobs }) => {
        return { text, tokens, logprob: logprobs.reduce((sum, logprob) => sum + logprob, 0) };
      });
      const { key, prompt, answer } = item;
      const turns = rollouts.slice(1).map(turnsOf);
      return { key, weight: 1 / batch.length, prompt, answer, greedy, samples, turns, greedyAnswer, answers };
    });
    return {
      given: problems,
      call: () => part.of(problems),
      look: () => {
        const { mean, low, high } = part.of(problems);
        const right = problems.reduce((sum, { samples }) => sum + samples.filter(({ score }) => score === 1).length, 0);
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
    };
  },
};

function termTrial(part: PointParts['lossTerms'], input: TrialInput): Trial {
  const groups = credited(input.batch);
  const sequences = madeUpSequences(groups);
  const context = lossContext(input, sequences);
  return {
    given: sequences,
    call: () => {
      part.begin?.(groups, context);
      part.observe?.(sequences, context);
      return gradientsOf(part, sequences, context);
    },
    look: () => {
      const gradients = gradientsOf(part, sequences, context);
      return {
        warnings: derivativeWarnings(part, sequences, context),
        examples: sequences.slice(0, 3).map(({ advantages, logprobs }, i) => ({
          given: `advantage ${shortNumber(advantages[0] ?? 0)}, log-probs ${numbersText(logprobs)}`,
          gives: `losses ${numbersText(gradients[i].losses)}, slopes ${numbersText(gradients[i].dLogprobs)}`,
        })),
      };
    },
  };
}

function lossContext({ methods, ...tried }: TrialInput, sequences: ReturnType<typeof madeUpSequences>): LossContext {
  const context: StepContext = madeUpContext(tried);
  const { ratio, objective } = methods;
  return { ...context, sizes: sizesOf(sequences, tried), ratio: ratio.part, objective: objective.part };
}

const NULL_CREDIT =
  'gives an advantage to a completion without a reward (null), which is then trained on: give it 0, as estimateByGroup does';

function estimateWarnings({ rollouts, dead }: RolloutGroup, credit: Pick<CreditedGroup, 'advantages'>): string[] {
  const { advantages } = credit;
  const hasNull = rollouts.some(({ reward }, i) => reward === null && advantages[i] !== 0);
  const known = rollouts.flatMap(({ reward }, i) => (reward === null ? [] : [{ reward, advantage: advantages[i] }]));
  const most = known.reduce((a, b) => (b.reward > a.reward ? b : a), known[0]);
  const least = known.reduce((a, b) => (b.reward < a.reward ? b : a), known[0]);
  return [
    ...listWarnings(credit),
    ...(hasNull ? [NULL_CREDIT] : []),
    ...(!dead && most.advantage < least.advantage
      ? [
          `gives a reward of ${shortNumber(least.reward)} a larger advantage than one of ${shortNumber(most.reward)} in the same group: the worse answer is made more likely`,
        ]
      : []),
  ];
}

function listWarnings(credit: Pick<CreditedGroup, 'advantages'>): string[] {
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
