/**
 * ASPO. With outcome rewards all tokens of a right completion have the same advantage, and a ratio above 1 makes those
 * weigh most that have grown already. Turned around, it makes those weigh most that lag. Tokens beyond the clip of PPO are
 * left alone, and weights are cut without losing their gradient, at what PPO's dual clip is set to.
 */
import { decidingBound } from '../../../../src/methods/support/loss/clipped.ts';
import { key, method, number, type Surrogate, type SurrogatePoint } from '../kit.ts';
import { clipWidth } from '../support/loss/clip_width.ts';
import { weighted } from '../support/loss/weighted.ts';

export const aspo = method({
  id: 'aspo',
  about: {
    does: 'Turns the ratio of tokens of positive advantage around, so that those weigh most that have grown least.',
    names: ['asymmetric importance sampling'],
    formula: '−sg(min(w, aspo_max))·A·log π; w = 1/r where A > 0, else r; 0 beyond the clip',
    source: '2510.06062',
    certainty: 'after the paper',
    when: 'With several updates a batch, where likely tokens of right answers become certain and the entropy falls.',
  },
  against: ['entropy-collapse'],
  options: {
    flippedLow: clipWidth('aspo_epsilon', 'below', { above: 0, below: 1, example: 0.2 }),
    flippedHigh: clipWidth('aspo_epsilon_high', 'above', { above: 0, below: 1, example: 0.28 }),
    mostFlipped: key('aspo_max', number({ above: 1, example: 3 }).default(3).describe('Largest weight of a token.')),
  },
  actsOn: 'moved',
  create({ flippedLow, flippedHigh, mostFlipped }): Surrogate {
    const clipped = (point: Readonly<SurrogatePoint>) => decidingBound(point, 1 - flippedLow, 1 + flippedHigh);
    return {
      ...weighted((point) => {
        if (clipped(point) !== undefined) return 0;
        return Math.min(Math.exp(point.advantage > 0 ? -point.logRatio : point.logRatio), mostFlipped);
      }),
      clipped,
    };
  },
});
