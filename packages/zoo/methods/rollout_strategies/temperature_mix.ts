/**
 * What is not sampled at the stage's temperature is off-policy from the first update: its log-probs are those that it
 * was sampled with, so its ratio is not 1, and is clipped like any other. A greedy completion had probability 1.
 */
import { key, method, number, type RolloutStrategy } from '../kit.ts';

export const temperatureMix = method({
  id: 'temperature-mix',
  about: {
    does: 'Samples the completions of a group at different temperatures.',
    formula: 'T_i = lowest + (highest − lowest)·i/(n − 1) for i = 0 … n − 1; old log-probs are those at T_i',
    source: '2506.20544',
    certainty: 'after the paper',
  },
  against: ['entropy-collapse', 'duplicates'],
  options: {
    coolest: key(
      'lowest_temperature',
      number({ min: 0, max: 10, example: 0.6 })
        .default(0.6)
        .describe('Of the first completion of a group; 0 is greedy.'),
    ),
    hottest: key(
      'highest_temperature',
      number({ above: 0, max: 10, example: 1.2 }).default(1.2).describe('Of the last one.'),
    ),
  },
  complete(options, refuse) {
    if (options.coolest > options.hottest) {
      refuse('coolest', `above highest_temperature (${options.hottest}); lower it`);
    }
    return options;
  },
  samplesOffPolicy: true,
  create: ({ coolest, hottest }): RolloutStrategy => ({
    rollOut: (requests, next) =>
      next(requests.map((request) => ({ ...request, temperatures: spread(coolest, hottest, request.samples) }))),
  }),
});

function spread(lowest: number, highest: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => lowest + ((highest - lowest) * i) / Math.max(1, count - 1));
}
