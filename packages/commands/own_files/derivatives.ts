/** Whether the derivatives that a user's term of the loss, surrogate or ratio gives are those of what it computes. */
import type {
  LossContext,
  LossGradient,
  LossSequence,
  LossTerm,
  Ratio,
  Surrogate,
} from '../../../src/methods/points.ts';
import { shortNumber } from './say.ts';

/** Log-probs are float32: a step that they hold. */
const STEP = 2 ** -12;
/** Completions of a batch whose tokens are moved; the others would say the same. */
const MOST_MOVED = 4;
/** Share of a derivative, or of 0.1 where that is more: what float32 and the curvature of a step come to. */
const TOLERANCE = 2e-3;

/**
 * Whether a derivative is one of a function at a place. At a corner, as of a clip, any slope between those of its two sides is.
 *
 * @param by  the function, moved by this
 */
function isSlope(derivative: number, by: (step: number) => number, step: number): boolean {
  const [below, here, above] = [by(-step), by(0), by(step)];
  const sides = [(above - here) / step, (here - below) / step];
  const room = TOLERANCE * Math.max(0.1, Math.abs(derivative));
  return derivative >= Math.min(...sides) - room && derivative <= Math.max(...sides) + room;
}

/** The numbers with one of them moved. */
const moved = (values: Float32Array, place: number, by: number): Float32Array =>
  values.map((value, i) => (i === place ? value + by : value));

const sumOf = (values: ArrayLike<number>): number => Array.from(values).reduce((sum, value) => sum + value, 0);

/** What a term adds for these sequences. */
function gradientsOf(part: LossTerm, given: readonly LossSequence[], context: LossContext): LossGradient[] {
  const gradients = given.map(({ logprobs: { length } }) => ({
    losses: new Float64Array(length),
    dLogprobs: new Float64Array(length),
    dEntropies: new Float64Array(length),
  }));
  part.add(given, gradients, context);
  return gradients;
}

/** Where a term's derivatives are not those of its loss, or a masked token has some: the second one of each completion is masked. */
export function termWarnings(part: LossTerm, sequences: readonly LossSequence[], context: LossContext): string[] {
  const given = sequences.map((sequence) => {
    return { ...sequence, coefficients: sequence.coefficients.map((weight, t) => (t === 1 ? 0 : weight)) };
  });
  const gradients = gradientsOf(part, given, context);
  const isMaskedMoved = gradients.some(({ losses, dLogprobs }, i) =>
    given[i].coefficients.some((weight, t) => weight === 0 && (losses[t] !== 0 || dLogprobs[t] !== 0)),
  );
  const masked = isMaskedMoved
    ? ['adds to tokens whose coefficient is 0: they are masked, as what others wrote; multiply by the coefficient']
    : [];
  if (part.stopsGradient) return masked;
  for (const [s, sequence] of given.slice(0, MOST_MOVED).entries()) {
    for (const [name, which] of [
      ['dLogprobs', 'logprobs'],
      ['dEntropies', 'entropies'],
    ] as const) {
      for (const [t, derivative] of gradients[s][name].entries()) {
        const lossBy = (by: number): number => {
          const changed = given.with(s, { ...sequence, [which]: moved(sequence[which], t, by) });
          return sumOf(gradientsOf(part, changed, context).map(({ losses }) => sumOf(losses)));
        };
        if (sequence.coefficients[t] === 0 || isSlope(derivative, lossBy, STEP)) continue;
        const seen = shortNumber((lossBy(STEP) - lossBy(-STEP)) / (2 * STEP));
        const what = `gives ${shortNumber(derivative)} as ${name} where its loss has a slope of ${seen}`;
        return [...masked, `${what}: correct the derivative, or say stopsGradient`];
      }
    }
  }
  return masked;
}

/** A surrogate at one ratio and advantage. */
interface SurrogateSlope {
  readonly advantage: number;
  readonly logRatio: number;
  readonly loss: number;
  readonly slope: number;
  readonly warnings: readonly string[];
}

/** A surrogate over a grid of ratios and advantages. */
export function slopesOfSurrogate(part: Surrogate): SurrogateSlope[] {
  const at = (logRatio: number, logprob: number, advantage: number) => {
    const out = { loss: 0, slope: 0, logprobSlope: 0 };
    part.at({ logRatio, logprob, oldLogprob: -1, advantage }, out);
    return out;
  };
  return [-1.5, -0.5, 0.5, 1.5].flatMap((advantage) =>
    [-0.4, -0.1, 0, 0.1, 0.4].map((logRatio): SurrogateSlope => {
      const logprob = -1 + logRatio;
      const { loss, slope, logprobSlope } = at(logRatio, logprob, advantage);
      const isRight = part.stopsGradient || isSlope(slope, (by) => at(logRatio + by, logprob, advantage).loss, 1e-6);
      const isOwnRight = isSlope(logprobSlope, (by) => at(logRatio, logprob + by, advantage).loss, 1e-6);
      const isTurned = logRatio === 0 && (slope + logprobSlope) * advantage > 0;
      const warnings = [
        !isRight &&
          'sets a slope that is not the derivative of its loss by the log-ratio: correct it, or say stopsGradient',
        !isOwnRight && 'sets a logprobSlope that is not the derivative of its loss by the log-prob: correct it',
        isTurned &&
          `makes better completions less likely: its loss rises with the ratio at an advantage of ${advantage}`,
      ].filter((warning) => warning !== false);
      return { advantage, logRatio, loss, slope: slope + logprobSlope, warnings };
    }),
  );
}

/** Where a ratio does not spread derivatives as its value has them, or is not 1 of the policy that sampled. */
export function ratioWarnings(part: Ratio, sequence: LossSequence): string[] {
  const { coefficients, logprobs } = sequence;
  const { length } = logprobs;
  const measured = (values: Float32Array): Float64Array => {
    const out = new Float64Array(length);
    part.measure({ ...sequence, logprobs: values }, out);
    return out;
  };
  const isOne = measured(sequence.oldLogprobs).every((value, t) => coefficients[t] === 0 || value === 0);
  const warnings = isOne ? [] : ['is not 1 where the policy is the one that sampled: measure must write 0 there'];
  if (part.stopsGradient) return warnings;
  const slopes = Float64Array.from(coefficients, (weight, t) => (weight === 0 ? 0 : 1 + t));
  const spread = new Float64Array(length);
  part.spread(sequence, slopes, spread);
  const sumBy = (t: number, by: number): number =>
    measured(moved(logprobs, t, by)).reduce((sum, value, i) => (slopes[i] === 0 ? sum : sum + value * slopes[i]), 0);
  if (spread.every((slope, t) => isSlope(slope, (by) => sumBy(t, by), STEP))) return warnings;
  return [
    ...warnings,
    'spreads derivatives otherwise than its log-ratios have them: correct spread, or say stopsGradient',
  ];
}
