/** The bounds solve |(r − 1)·r·q| ≤ ε. The paper's script has 0.28 instead of 0.2. */

import { clipBetween, decidingBound } from '../../../../src/methods/support/loss/clipped.ts';
import { method, type Surrogate, usesMethod } from '../kit.ts';
import { clipWidth } from '../support/loss/clip_width.ts';

const MOST_RATIO = 10;

export const dcpoClip = method({
  id: 'dcpo-clip',
  about: {
    does: 'Clips the ratio of a rare token less than that of a likely one.',
    formula:
      'PPO between ½ + ½·√max(1 − 4·dcpo_epsilon/q, 0) and min(½ + ½·√(1 + 4·dcpo_epsilon_high/q), 10), q = π_old',
    source: '2509.02333',
    certainty: 'paper',
  },
  options: {
    dynamicLow: clipWidth('dcpo_epsilon', 'below', { above: 0, example: 0.16 }),
    dynamicHigh: clipWidth('dcpo_epsilon_high', 'above', { above: 0, example: 0.2 }),
  },
  warn: (_, methods) =>
    usesMethod(methods, 'token')
      ? undefined
      : 'its bounds are those of the ratio of a single token; leave importance_sampling_level at token',
  actsOn: 'moved',
  create: ({ dynamicLow, dynamicHigh }): Surrogate => {
    const lowAt = (oldLogprob: number): number =>
      0.5 + 0.5 * Math.sqrt(Math.max(1 - 4 * dynamicLow * Math.exp(-oldLogprob), 0));
    const highAt = (oldLogprob: number): number =>
      Math.min(0.5 + 0.5 * Math.sqrt(1 + 4 * dynamicHigh * Math.exp(-oldLogprob)), MOST_RATIO);
    return {
      at: (point, out) =>
        clipBetween(point, lowAt(point.oldLogprob), highAt(point.oldLogprob), Number.POSITIVE_INFINITY, out),
      clipped: (point) => decidingBound(point, lowAt(point.oldLogprob), highAt(point.oldLogprob)),
    };
  },
});
