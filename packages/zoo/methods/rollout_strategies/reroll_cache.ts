/**
 * Where the policy fails a problem without a remembered success, it is sampled once more with a hint, and what is then
 * right is remembered as if the hint had not been there.
 */
import { helpedRows, integer, isRight, keys, meanOf, method, number, type RolloutStrategy } from '../kit.ts';
import { HINT_OPTIONS, hinted, hintForm, hintsOf, hintUses, withoutHint } from '../support/rollouts/hints.ts';
import { isUnsolved } from '../support/rollouts/unsolved.ts';
import { ownSuccess, replayed, SuccessCache } from './success_cache.ts';

/** Parts of a draw that a share is a number of. */
const FINE = 100;

export const rerollCache = method({
  id: 'reroll-cache',
  about: {
    does: 'Remembers successes, hinted ones too, and puts them into groups that have none.',
    names: ['BEPA', 'bi-level expert-to-policy assimilation'],
    formula: 'where all are wrong: the last member ← the latest success, else one of reroll_samples with a hint',
    source: '2601.05787',
    certainty: 'after the paper',
  },
  against: ['all-wrong', 'low-solve-rate'],
  options: keys({
    maxAge: integer({ min: 1, max: 1_000_000, example: 50 })
      .default(100)
      .describe('Optimizer steps after which a success is forgotten.'),
    rerollSamples: integer({ min: 1, max: 64, example: 4 }).default(4).describe('Completions that see the hint.'),
    hintShare: number({ above: 0, below: 1, example: 0.5 })
      .default(0.5)
      .describe('How much of a solution the hint is, or how far among the hints of the task.'),
    ...HINT_OPTIONS,
  }),
  uses: (options) => hintUses(options),
  demonstrate: hintForm,
  samplesOffPolicy: true,
  helps: ['hinted'],
  tells: ['replays'],
  readsVerdicts: true,
  work: ({ rerollSamples }, _, lengths) => ({ rows: helpedRows(rerollSamples, lengths) }),
  create: ({ maxAge, rerollSamples, hintShare, ...options }): RolloutStrategy => {
    const cache = new SuccessCache();
    return {
      async rollOut(requests, next, tools) {
        const { step, metric, regroup } = tools;
        const groups = [...(await next(requests))];
        for (const { item, rollouts } of groups) {
          const own = ownSuccess(rollouts);
          if (own !== undefined) cache.keep(item, step, own);
        }
        const failed = groups.flatMap((group, i) => (isUnsolved(group) ? [i] : []));
        const unknown = failed.flatMap((i) => {
          if (cache.get(groups[i].item, step, maxAge) !== undefined) return [];
          const hints = hintsOf(groups[i].item, FINE, options, tools);
          return hints.length === 0 ? [] : [{ i, hint: hints[Math.floor(hintShare * hints.length)] }];
        });
        const again =
          unknown.length === 0
            ? []
            : await next(unknown.map(({ i, hint }) => hinted(groups[i].item, rerollSamples, hint, options, tools)));
        unknown.forEach(({ i }, k) => {
          const right = again[k].rollouts.find(isRight);
          if (right !== undefined) cache.keep(groups[i].item, step, withoutHint(right));
        });
        const ages: number[] = [];
        for (const i of failed) {
          const known = cache.get(groups[i].item, step, maxAge);
          if (known === undefined) continue;
          ages.push(step - known.step);
          groups[i] = regroup(groups[i], [...groups[i].rollouts.slice(0, -1), replayed(known, step)]);
        }
        metric('rerolled', unknown.length / groups.length);
        metric('hits', ages.length / groups.length);
        if (ages.length > 0) metric('age', meanOf(ages));
        return groups;
      },
      state: () => cache.state(),
      restore: (state) => cache.restore(state),
    };
  },
});
