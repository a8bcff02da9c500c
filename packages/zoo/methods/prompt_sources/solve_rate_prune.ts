import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { key, keys, method, number, type PromptSource } from '../kit.ts';
import { byRate, revisitAfter } from '../support/prompts/solve_rates.ts';

/** What is left to learn from such problems is little, and costs as much. */
export const solveRatePrune = method({
  id: 'solve-rate-prune',
  about: {
    does: 'Leaves out problems that are solved almost always.',
    formula: 'leaves out p ≥ solve_rate, p the moving share of completions that were right',
    source: '2509.24107',
    certainty: 'after the paper',
  },
  against: ['few-live-groups', 'all-right'],
  options: keys({
    solveRate: number({ above: 0, max: 1, example: 0.9 }).default(0.9).describe('The least share that is left out.'),
    prunedFor: key('revisit_after', revisitAfter),
  }),
  uses: () => [ledger()],
  create: ({ solveRate, prunedFor }): PromptSource => byRate((solved) => solved < solveRate, prunedFor),
});
