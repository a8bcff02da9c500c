/**
 * Each ratio is clipped in its logarithm and against its advantage alone, so one token far off weighs no more than the
 * clip. The gradient of a clipped token is 0. arXiv:2507.20673; verl's `geo_mean` has 0.2 instead of 0.4.
 */
import { key, method, number, type Ratio, type RatioSequence, type Surrogate, unreadRatio } from '../kit.ts';

const width = (yaml: string, text: string) => key(yaml, number({ above: 0, example: 0.4 }).default(0.4).describe(text));

export const gmpo = method({
  id: 'gmpo',
  about: {
    does: 'Weighs a completion by the geometric mean of its ratios, each clipped by itself.',
    formula: '−A·exp(mean_t x_t), x_t = log r_t, at most log_epsilon_high where A > 0, at least −log_epsilon else',
    source: '2507.20673',
    certainty: 'after the paper',
  },
  options: {
    leastLogRatio: width(
      'log_epsilon',
      'Most that the log-ratio of a token may fall, where the advantage is negative.',
    ),
    mostLogRatio: width('log_epsilon_high', 'Most that it may rise, where the advantage is positive.'),
  },
  note: (_, methods) => unreadRatio(methods),
  actsOn: 'moved or tokens',
  create: ({ leastLogRatio, mostLogRatio }): Surrogate => {
    const clip = (logRatio: number, advantage: number): number =>
      advantage > 0 ? Math.min(logRatio, mostLogRatio) : Math.max(logRatio, -leastLogRatio);
    const tokensOf = ({ coefficients }: RatioSequence): number => {
      let tokens = 0;
      for (let t = 0; t < coefficients.length; t++) if (coefficients[t] !== 0) tokens++;
      return Math.max(1, tokens);
    };
    const clippedMean: Ratio = {
      isPerSequence: true,
      measure(sequence, logRatios) {
        const { logprobs, oldLogprobs, coefficients, advantages } = sequence;
        let sum = 0;
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] !== 0) sum += clip(logprobs[t] - oldLogprobs[t], advantages[t]);
        }
        logRatios.fill(sum / tokensOf(sequence));
      },
      spread(sequence, slopes, dLogprobs) {
        const { logprobs, oldLogprobs, coefficients, advantages } = sequence;
        let sum = 0;
        for (let t = 0; t < coefficients.length; t++) sum += slopes[t];
        const share = sum / tokensOf(sequence);
        for (let t = 0; t < coefficients.length; t++) {
          const logRatio = logprobs[t] - oldLogprobs[t];
          if (coefficients[t] !== 0 && clip(logRatio, advantages[t]) === logRatio) dLogprobs[t] += share;
        }
      },
    };
    return {
      ratio: clippedMean,
      at({ logRatio, advantage }, out) {
        out.loss = -advantage * Math.exp(logRatio);
        out.slope = out.loss;
      },
    };
  },
});
