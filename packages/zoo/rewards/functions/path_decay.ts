/**
 * How far an answer is on the way to the right one: γ^(steps that are missing). After ExCyTIn-Bench.
 *
 * The way is a list, the right answer last: R = γ^(n − 1 − i) for the i-th of n, counted from 0, and 0 for what is not on it.
 * What is on it twice counts at its later place.
 */
import { number, options, text } from '../../../../src/options/keys.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { comparing, listForm } from '../truth.ts';

export const pathDecayReward = defineReward({
  does: 'gamma to the number of steps that an answer is short of the right one, on the way to it; 0 off the way.',
  options: options({
    gamma: number({ above: 0, below: 1, example: 0.5 }).default(0.4).describe('Factor for each step that is missing.'),
    column: text('way')
      .default('way')
      .describe('The column of a problem that lists what is on the way, the right answer last.'),
  }),
  create: ({ gamma, column }) =>
    comparing({
      name: 'path-decay',
      range: [0, 1],
      truth: listForm,
      column,
      score(answer, way) {
        const place = way.lastIndexOf(trimAscii(answer));
        return place < 0 ? 0 : gamma ** (way.length - 1 - place);
      },
    }),
});
