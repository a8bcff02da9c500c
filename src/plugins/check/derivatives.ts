/** Whether the derivatives that a user's term of the loss, surrogate or ratio gives are those of what it computes. */
import type { LossContext, LossGradient, LossSequence, LossTerm, Ratio, Surrogate } from '../../methods/points.ts';
import { type Example, shortNumber } from './say.ts';

/** Log-probs are float32: a step that they hold. */
const STEP = 2 ** -12;
/** Completions of a batch whose tokens are moved; the others would say the same. */
const MOST_MOVED = 12;
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

/** What a term adds for these sequences. */
export function gradientsOf(part: LossTerm, given: readonly LossSequence[], context: LossContext): LossGradient[] {
  const gradients = given.map(({ logprobs: { length } }) => ({
    losses: new Float64Array(length),
    dLogprobs: new Float64Array(length),
    dEntropies: new Float64Array(length),
  }));
  part.add(given, gradients, context);
  return gradients;
}

const lossOf = (gradients: readonly LossGradient[]): number =>
  gradients.reduce((sum, { losses }) => losses.reduce((all, loss) => all + loss, sum), 0);

/** Where a term's derivatives are not those of its loss, or a masked token has some. */
export function derivativeWarnings(part: LossTerm, given: readonly LossSequence[], context: LossContext): string[] {
  const gradients = gradientsOf(part, given, context);
  const isMaskedMoved = given.some(({ coefficients }, i) =>
    coefficients.some((weight, t) => weight === 0 && (gradients[i].losses[t] !== 0 || gradients[i].dLogprobs[t] !== 0)),
  );
  const masked = isMaskedMoved
    ? ['adds to tokens whose coefficient is 0: they are masked, as what others wrote; multiply by the coefficient']
    : [];
  if (part.stopsGradient) return masked;
  for (const which of ['logprobs', 'entropies'] as const) {
    const lossWith = (s: number, t: number, by: number): number => {
      const moved = given.map((sequence, i) =>
        i === s
          ? { ...sequence, [which]: sequence[which].map((value, j) => (j === t ? value + by : value)) }
          : sequence,
      );
      return lossOf(gradientsOf(part, moved, context));
    };
    for (const [s, { coefficients }] of given.slice(0, MOST_MOVED).entries()) {
      for (let t = 0; t < coefficients.length; t++) {
        const derivative = gradients[s][which === 'logprobs' ? 'dLogprobs' : 'dEntropies'][t];
        if (coefficients[t] === 0 || isSlope(derivative, (by) => lossWith(s, t, by), STEP)) continue;
        const seen = (lossWith(s, t, STEP) - lossWith(s, t, -STEP)) / (2 * STEP);
        const name = which === 'logprobs' ? 'dLogprobs' : 'dEntropies';
        return [...masked, wrongSlope(name, derivative, seen)];
      }
    }
  }
  return masked;
}

function wrongSlope(name: string, derivative: number, seen: number): string {
  return `gives ${shortNumber(derivative)} as ${name} where its loss has a slope of ${shortNumber(seen)}: correct the derivative, or say stopsGradient`;
}

const ADVANTAGES = [-1.5, -0.5, 0.5, 1.5];
const LOG_RATIOS = [-0.4, -0.1, 0, 0.1, 0.4];

interface SurrogateSlopes {
  readonly advantage: number;
  readonly logRatio: number;
  readonly loss: number;
  readonly slope: number;
  readonly warnings: readonly string[];
}

/** A surrogate over a grid of ratios and advantages. */
export function slopesOfSurrogate(part: Surrogate): SurrogateSlopes[] {
  const at = (logRatio: number, logprob: number, advantage: number) => {
    const out = { loss: 0, slope: 0, logprobSlope: 0 };
    part.at({ logRatio, logprob, oldLogprob: -1, advantage }, out);
    return out;
  };
  return ADVANTAGES.flatMap((advantage) =>
    LOG_RATIOS.map((logRatio): SurrogateSlopes => {
      const logprob = -1 + logRatio;
      const { loss, slope, logprobSlope } = at(logRatio, logprob, advantage);
      const isRight = part.stopsGradient || isSlope(slope, (by) => at(logRatio + by, logprob, advantage).loss, 1e-6);
      const isOwnRight = isSlope(logprobSlope, (by) => at(logRatio, logprob + by, advantage).loss, 1e-6);
      const where = `at a ratio of ${shortNumber(Math.exp(logRatio))} and an advantage of ${advantage}`;
      const turned = logRatio === 0 && (slope + logprobSlope) * advantage > 0;
      return {
        advantage,
        logRatio,
        loss,
        slope: slope + logprobSlope,
        warnings: [
          ...(isRight
            ? []
            : [
                'sets a slope that is not the derivative of its loss by the log-ratio: correct it, or say stopsGradient',
              ]),
          ...(isOwnRight
            ? []
            : ['sets a logprobSlope that is not the derivative of its loss by the log-prob: correct it']),
          ...(turned ? [`makes better completions less likely: its loss rises with the ratio ${where}`] : []),
        ],
      };
    }),
  );
}

/** Loss and slope where the ratio is 1 and to both sides of it. */
export function surrogateExamples(part: Surrogate): Example[] {
  return slopesOfSurrogate(part)
    .filter(({ advantage, logRatio }) => Math.abs(advantage) === 0.5 && Math.abs(logRatio) !== 0.1)
    .map(({ advantage, logRatio, loss, slope }) => ({
      given: `ratio ${shortNumber(Math.exp(logRatio))}, advantage ${advantage}`,
      gives: `loss ${shortNumber(loss)}, slope ${shortNumber(slope)}`,
    }));
}

/** Where a ratio does not spread derivatives as its value has them, or is not 1 of the policy that sampled. */
export function ratioWarnings(part: Ratio, sequences: readonly LossSequence[]): string[] {
  const isOne = sequences.every((sequence) => {
    const out = new Float64Array(sequence.logprobs.length);
    part.measure({ ...sequence, logprobs: sequence.oldLogprobs }, out);
    return out.every((value, t) => sequence.coefficients[t] === 0 || value === 0);
  });
  const warnings = isOne ? [] : ['is not 1 where the policy is the one that sampled: measure must write 0 there'];
  if (part.stopsGradient) return warnings;
  for (const sequence of sequences.slice(0, MOST_MOVED)) {
    const { length } = sequence.logprobs;
    const slopes = Float64Array.from(sequence.coefficients, (weight, t) => (weight === 0 ? 0 : 1 + t));
    const spread = new Float64Array(length);
    part.spread(sequence, slopes, spread);
    const valueWith = (t: number, by: number): number => {
      const out = new Float64Array(length);
      part.measure({ ...sequence, logprobs: sequence.logprobs.map((x, i) => (i === t ? x + by : x)) }, out);
      return out.reduce((sum, value, i) => (slopes[i] === 0 ? sum : sum + value * slopes[i]), 0);
    };
    const wrong = spread.findIndex((slope, t) => !isSlope(slope, (by) => valueWith(t, by), STEP));
    if (wrong < 0) continue;
    return [
      ...warnings,
      'spreads derivatives otherwise than its log-ratios have them: correct spread, or say stopsGradient',
    ];
  }
  return warnings;
}
