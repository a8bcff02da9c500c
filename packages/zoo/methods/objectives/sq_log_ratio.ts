import { key, method, number, type Surrogate } from '../kit.ts';

/** What verl calls `dro`, after direct reward optimisation, whose value function it leaves out. */
export const sqLogRatio = method({
  id: 'sq-log-ratio',
  about: {
    does: 'Raises the log-prob of a token by its advantage, and pulls it back by the square of how far it has moved.',
    formula: '−(A·log π − ½·log_ratio_coef·(log r)²)',
    source: '2405.19107',
    certainty: 'after the paper',
  },
  options: {
    pullBack: key(
      'log_ratio_coef',
      number({ min: 0, example: 0.1 }).default(0.1).describe('Weight of the squared log-ratio.'),
    ),
  },
  actsOn: 'moved',
  create: ({ pullBack }): Surrogate => ({
    actsWithoutAdvantage: true,
    at({ logRatio, logprob, advantage }, out) {
      out.loss = (pullBack * logRatio * logRatio) / 2 - advantage * logprob;
      out.slope = pullBack * logRatio;
      out.logprobSlope = -advantage;
    },
  }),
});
