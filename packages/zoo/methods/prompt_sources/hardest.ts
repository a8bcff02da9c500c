/**
 * A problem that was never asked counts as never solved, so that it is met once. A second stage knows the shares of the
 * first where a method of that stage uses the ledger, too. arXiv:2511.06307 (DRIVE).
 */
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { keys, meanOf, method, number, type PromptSource } from '../kit.ts';

export const hardest = method({
  id: 'hardest',
  about: {
    does: 'Asks the hardest part of the problems that are drawn.',
    names: ['hardest-fraction', 'hard-focus curriculum'],
    formula: 'of count/fraction drawn problems the count of the smallest p, the moving share of right completions',
    source: '2511.06307',
    certainty: 'after the paper',
  },
  options: keys({
    fraction: number({ above: 0, max: 1, example: 0.25 })
      .default(0.25)
      .describe('Part of the drawn problems that is asked; 1 asks all.'),
  }),
  uses: () => [ledger()],
  create: ({ fraction }): PromptSource => ({
    async next(count, draw, { ledger, metric }) {
      const drawn = await draw(Math.ceil(count / fraction));
      const solved = drawn.map((item) => ledger.get(item)?.solved ?? 0);
      const order = [...drawn.keys()].sort((a, b) => solved[a] - solved[b] || a - b).slice(0, count);
      metric('solved', meanOf(order.map((i) => solved[i])));
      return order.sort((a, b) => a - b).map((i) => drawn[i]);
    },
  }),
});
