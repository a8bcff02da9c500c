import { integer, keys, method, type PromptSource } from '../kit.ts';
import { drawDifferent } from '../support/prompts/drawn.ts';
import { KeptProblems } from '../support/prompts/kept_problems.ts';

/** With a limit of 1 it is reinforcement from a single example. */
export const fewShotData = method({
  id: 'few-shot-data',
  about: {
    does: 'Asks a few problems over and over.',
    names: ['1-shot RLVR'],
    formula: 'problem i is the (i mod limit)th of the first limit different ones',
    source: '2504.20571',
    certainty: 'after the paper',
  },
  options: keys({
    limit: integer({ min: 1, max: 1024, example: 8 }).default(128).describe('Problems.'),
  }),
  repeatsProblems: true,
  create: ({ limit }): PromptSource => {
    const problems = new KeptProblems();
    return {
      async next(count, draw, { metric }) {
        if (problems.count === 0) problems.keep(await drawDifferent(limit, draw));
        metric('problems', problems.count);
        return problems.take(count);
      },
      state: () => problems.state(),
      restore: (state) => problems.restore(state),
    };
  },
});
