/** The terms of a stage's loss over sequences by hand, as the host computes them. */
import { addTerms } from '../../../../src/grpo/update/objective.ts';
import type {
  LossGradient,
  LossSequence,
  Surrogate,
  SurrogatePoint,
  SurrogateValue,
} from '../../../../src/methods/points.ts';
import type { CreditedGroup, Rollout } from '../../../../src/methods/records.ts';
import { takeOptions } from '../../../../src/options/read.ts';
import { METHODS } from '../../../../test/support/everything.ts';
import { emptyGradients, groupOf, rolloutOf } from '../../../../test/support/rollouts.ts';
import { anyStage, stageOf } from '../../../../test/support/stages.ts';
import { stepOf } from '../../../../test/support/steps.ts';

export const sizes = {
  completions: 8,
  lossTokens: 24,
  maxCompletionTokens: 1000,
  microBatches: 1,
  microLossTokens: 24,
};

/** Gradients of all terms of a stage with these lines. */
export function gradientsOf(given: readonly LossSequence[], ...lines: readonly string[]): LossGradient[] {
  const scope = stepOf(stageOf(...lines));
  const gradients = emptyGradients(given);
  const { tokenWeights, lossTerms, ratio, objective } = scope.methods;
  const context = { ...scope.context('test'), sizes, ratio: ratio.part, objective: objective.part };
  for (const { part } of [...tokenWeights, ...lossTerms]) {
    part.begin?.([...new Set(given.map(({ group }) => group))], context);
    part.observe?.(given, context);
  }
  addTerms(scope, { sizes, onPolicy: false }, given, gradients);
  return gradients;
}

export const slopesOf = (gradients: readonly LossGradient[]): number[] =>
  gradients.flatMap(({ dLogprobs }) => [...dLogprobs]);

export const lossOf = (gradients: readonly LossGradient[]): number =>
  gradients.reduce((sum, { losses }) => losses.reduce((inner, loss) => inner + loss, sum), 0);

/** One completion of a group: what is not given is 0, or 1 where it weighs. */
export interface Completion {
  readonly logprobs: readonly number[];
  /** Default: the same. */
  readonly oldLogprobs?: readonly number[];
  readonly advantage?: number;
  readonly reward?: number;
  readonly coefficient?: number;
}

/** A group of completions by hand. */
export function groupBy(completions: readonly Completion[]): LossSequence[] {
  const rollouts = completions.map(({ logprobs, reward = 0 }): Rollout => rolloutOf(logprobs.length, reward));
  const group: CreditedGroup = groupOf(rollouts);
  return completions.map(({ logprobs, oldLogprobs = logprobs, advantage = 0, coefficient = 1 }, i): LossSequence => {
    const { length } = logprobs;
    return {
      group,
      rollout: rollouts[i],
      logprobs: Float32Array.from(logprobs),
      oldLogprobs: Float32Array.from(oldLogprobs),
      refLogprobs: Float32Array.from(oldLogprobs),
      entropies: new Float32Array(length),
      advantages: new Float32Array(length).fill(advantage),
      weights: new Float64Array(length).fill(1),
      coefficients: new Float64Array(length).fill(coefficient),
    };
  });
}

/** A surrogate by its name, with options as the YAML spells them. */
export function surrogateOf(id: string, given: Readonly<Record<string, number>> = {}) {
  const method = METHODS.objective.find((known) => known.id === id);
  if (method === undefined) throw new Error(`no ${id}`);
  const taken = takeOptions(method.options, given, { path: 'objective', subject: id });
  const options = method.complete?.(taken, () => {}) ?? taken;
  const surrogate = method.create(options, anyStage()) as Surrogate;
  return (point: SurrogatePoint): SurrogateValue => {
    const out = { loss: 0, slope: 0, logprobSlope: 0 };
    surrogate.at(point, out);
    return out;
  };
}
