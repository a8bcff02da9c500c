/**
 * Pays a stated confidence by how well it fits: a proper score, best in the mean where the confidence is the chance of being
 * right. After ReFIne.
 *
 *   R = 1 − (confidence − [right])²,   0 where none is stated
 *
 * A sure mistake that is announced is paid as a right answer is: list it beside accuracy.
 */
import { options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { confidenceMark } from '../shared_options.ts';
import { statedIn } from './stated_confidence.ts';

export const calibrationReward = defineReward({
  does: '1 - (confidence - right)^2 of the confidence that a completion states after a mark, 0 where it states none; to be listed beside accuracy, as an announced mistake is paid too.',
  options: options({ mark: confidenceMark }),
  create: ({ mark }) => ({
    name: 'calibration',
    range: [0, 1],
    score: (batch) =>
      batch.verdicts.map(({ score }, row) => {
        if (score === null) return null;
        const stated = statedIn(batch, row, mark);
        return stated === undefined ? 0 : 1 - (stated.confidence - Number(stated.score === 1)) ** 2;
      }),
  }),
});
