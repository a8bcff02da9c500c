/** A surrogate as a term of the loss: losses += c·w·ℓ and dLogprobs += c·w·dℓ/dlogprob, token by token. */
import type { LossSequence, LossTerm, Surrogate, SurrogatePoint } from '../points.ts';

/** TRL's names: shares of the loss tokens. */
const CLIP_RATIOS = ['clip_ratio/low_mean', 'clip_ratio/high_mean', 'clip_ratio/region_mean'] as const;

export function surrogateTerm(surrogate: Surrogate): LossTerm {
  const point: SurrogatePoint = { logRatio: 0, logprob: 0, advantage: 0 };
  const value = { loss: 0, slope: 0 };
  const move = ({ logprobs, oldLogprobs, advantages }: LossSequence, t: number): void => {
    point.logprob = logprobs[t];
    point.logRatio = logprobs[t] - oldLogprobs[t];
    point.advantage = advantages[t];
  };
  return {
    coupling: 'token',
    device: surrogate.device,
    stopsGradient: surrogate.stopsGradient,
    add(sequences, gradients) {
      sequences.forEach((sequence, i) => {
        const { losses, dLogprobs } = gradients[i];
        const { coefficients, weights } = sequence;
        for (let t = 0; t < coefficients.length; t++) {
          const weight = coefficients[t] * weights[t];
          if (weight === 0) continue; // not 0·x: a masked token's ratio may be infinite
          move(sequence, t);
          surrogate.at(point, value);
          losses[t] += weight * value.loss;
          dLogprobs[t] += weight * value.slope;
        }
      });
    },
    measures: {
      names: CLIP_RATIOS,
      offPolicyOnly: true,
      add(sequence, sums) {
        for (let t = 0; t < sequence.coefficients.length; t++) {
          if (sequence.coefficients[t] === 0) continue;
          move(sequence, t);
          const bound = surrogate.clipped?.(point);
          if (bound === undefined) continue;
          sums[bound === 'low' ? 0 : 1]++;
          sums[2]++;
        }
      },
    },
  };
}
