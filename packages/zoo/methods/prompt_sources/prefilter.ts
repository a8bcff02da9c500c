/** The problems that were solved every time or never are left out for good; the others are asked in turn. */
import { RlvrError } from '../../../../src/errors.ts';
import { integer, key, keys, method, type PromptSource, STARVED } from '../kit.ts';
import { drawDifferent } from '../support/prompts/drawn.ts';
import { KeptProblems } from '../support/prompts/kept_problems.ts';

export const prefilter = method({
  id: 'prefilter',
  about: {
    does: 'Asks only problems that the policy solved sometimes, but not always, before the stage began.',
    formula: 'keeps a problem with 1 to samples − 1 right ones of samples completions',
    source: '2508.02669',
    certainty: 'after the paper',
  },
  against: ['few-live-groups', 'all-right', 'all-wrong'],
  options: keys({
    triedProblems: key(
      'problems',
      integer({ min: 1, max: 4096, example: 32 }).default(128).describe('Problems that are tried.'),
    ),
    samples: integer({ min: 2, max: 256, example: 8 }).default(16).describe('Completions of each.'),
  }),
  repeatsProblems: true,
  readsVerdicts: true,
  create: ({ triedProblems, samples }): PromptSource => {
    const problems = new KeptProblems();
    return {
      async next(count, draw, { attempt, metric }) {
        if (problems.count === 0) {
          const items = await drawDifferent(triedProblems, draw);
          const verdicts = await attempt(items, { samples });
          const right = verdicts.map((own) => own.filter(({ score }) => score === 1).length);
          problems.keep(items.filter((_, i) => right[i] > 0 && right[i] < samples));
          if (problems.count === 0) throw nothingKept(right, samples);
          metric('kept', problems.count / items.length);
        }
        metric(STARVED, Math.max(0, 1 - problems.count / count));
        return problems.take(count);
      },
      state: () => problems.state(),
      restore: (state) => problems.restore(state),
    };
  },
});

function nothingKept(right: readonly number[], samples: number): RlvrError {
  const always = right.filter((count) => count === samples).length;
  const seen = `of ${right.length} problems ${always} were solved every time of ${samples}, and the others never`;
  const remedy = 'Use a harder or easier task, a longer sft stage, or more problems and samples';
  return new RlvrError('nothing-to-learn', `prefilter: ${seen}: none is left to train on. ${remedy}.`, { samples });
}
