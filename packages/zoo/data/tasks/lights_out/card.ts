import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const lightsOutCard = taskCard({
  name: 'lights_out',
  does: 'Press cells of a grid, each of which changes its neighbours too, until all lights are off.',
  example: ['lights 010/111/010>', '22'],
  version: 1,
  category: 'plans',
  tier: 2,
  knobs: {
    size: integer({ min: 3, max: 6, example: 4 }).default(4).describe('Rows and columns, at most.'),
    presses: integer({ min: 2, max: 18, example: 4 })
      .default(4)
      .describe('Cells that were pressed to make it, at most.'),
  },
  levels: [{ presses: 2 }, {}, { size: 5, presses: 6 }, { size: 6, presses: 12 }],
  attributes: { size: [3, 4, 5, 6], presses: [2, 4, 6, 12] },
});

export type LightsOutKnobs = KnobsOf<typeof lightsOutCard>;
