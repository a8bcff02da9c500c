import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { key, method, number, type PromptSource } from '../kit.ts';
import { byRate, revisitAfter } from '../support/prompts/solve_rates.ts';

export const keepRange = method({
  id: 'keep-range',
  about: {
    does: 'Leaves out problems that are solved almost always or almost never.',
    formula: 'keeps lowest ≤ p ≤ highest, p the moving share of completions that were right',
    source: '2506.08989',
    certainty: 'paper',
  },
  against: ['few-live-groups', 'all-right'],
  options: {
    leastSolved: key(
      'lowest',
      number({ min: 0, max: 1, example: 0.125 }).default(0.125).describe('Least share that is kept.'),
    ),
    mostSolved: key(
      'highest',
      number({ min: 0, max: 1, example: 0.875 }).default(0.875).describe('Largest share that is kept.'),
    ),
    keptOutFor: key('revisit_after', revisitAfter),
  },
  complete(options, refuse) {
    if (options.leastSolved > options.mostSolved)
      refuse('leastSolved', `above highest (${options.mostSolved}); lower it`);
    return options;
  },
  uses: () => [ledger()],
  create: ({ leastSolved, mostSolved, keptOutFor }): PromptSource =>
    byRate((solved) => solved >= leastSolved && solved <= mostSolved, keptOutFor),
});
