/** How well an interval of real numbers fits: the length of the overlap with the truth over that of their union. */
import { options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { truthColumn } from '../shared_options.ts';
import { readSpan, spanForm } from '../spans.ts';
import { comparing } from '../truth.ts';

export const intervalIouReward = defineReward({
  does: 'The length that an interval such as 3.5-7 has in common with the true one, over that of both together.',
  options: options({ column: truthColumn }),
  create: ({ column }) =>
    comparing({
      name: 'interval-iou',
      range: [0, 1],
      truth: spanForm,
      column,
      score(answer, [start, end]) {
        const read = readSpan(answer);
        if (read === undefined) return 0;
        const [from, to] = read;
        const overlap = Math.min(to, end) - Math.max(from, start);
        if (overlap < 0) return 0;
        const both = Math.max(to, end) - Math.min(from, start);
        return both === 0 ? 1 : overlap / both; // the same point
      },
    }),
});
