import { z } from 'zod';
import { choice, type GroupStep, key, keys, method, number } from '../kit.ts';
import { winRates } from '../support/rewards/relative.ts';
import {
  changeConflict,
  changedReward,
  mapRollouts,
  mapWithinGroups,
  paysReward,
  targetOf,
} from '../support/rewards/reward_parts.ts';

const levels = z
  .array(z.tuple([z.number(), z.number()]), {
    error: 'must be a list of [from, gives]; for example [[0.5, 0.2], [1, 1]]',
  })
  .default([[0.5, 1]])
  .describe('Of threshold: [from, gives], the last that is reached counts; below all of them 0.');

/** One map of the reward that it names, or of the total; several steps make a chain. */
export const rewardTransform = method({
  id: 'reward-transform',
  about: {
    does: 'Scales, clips, squashes, ranks or thresholds a reward.',
    formula:
      'scale factor·R + offset | clip min(max(R, low), high) | tanh(factor·R) | rank in the group, 0 to 1 | threshold map',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    transformKind: key(
      'kind',
      choice(['clip', 'scale', 'tanh', 'rank', 'threshold'])
        .default('clip')
        .describe('The map: clip, scale, tanh, rank or threshold.'),
    ),
    transformedReward: changedReward,
    factor: number({ example: 0.5 }).default(1).describe('Of scale and tanh.'),
    offset: number({ example: 0 }).default(0).describe('Of scale: added.'),
    low: number({ example: -1 }).default(-1).describe('Of clip: the least value.'),
    high: number({ example: 1 }).default(1).describe('Of clip: the largest value.'),
    transformLevels: key('levels', levels),
  }),
  sameAs: { given: { kind: 'rank' }, id: 'win-rate', options: { tie_margin: 0 } },
  isRepeatable: true,
  complete(options, refuse) {
    const { transformKind: kind, low, high } = options;
    if (kind === 'clip' && low >= high) refuse('high', `not above low (${low}); raise it`);
    return options;
  },
  conflict: changeConflict,
  pays: paysReward('changes'),
  create: (options, stage): GroupStep => {
    const { factor, offset, low, high } = options;
    const target = targetOf(stage, options.transformedReward);
    const steps = options.transformLevels.toSorted(([a], [b]) => a - b);
    const maps: Readonly<Record<Exclude<typeof options.transformKind, 'rank'>, (value: number) => number>> = {
      scale: (value) => factor * value + offset,
      clip: (value) => Math.min(Math.max(value, low), high),
      tanh: (value) => Math.tanh(factor * value),
      threshold: (value) => steps.findLast(([from]) => value >= from)?.[1] ?? 0,
    };
    const { transformKind: kind } = options;
    if (kind === 'rank') {
      return { scope: 'group', apply: (groups) => mapWithinGroups(groups, target, (values) => winRates(values, 0)) };
    }
    return {
      scope: 'group',
      apply: (groups) =>
        mapRollouts(groups, (rollout) => {
          const value = target.read(rollout);
          return value === null ? rollout : target.write(rollout, maps[kind](value));
        }),
    };
  },
});
