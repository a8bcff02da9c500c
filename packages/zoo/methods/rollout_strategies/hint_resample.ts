/**
 * Where no completion of a problem is right, its group is sampled again with a hint, and with more of it, until one is.
 * By default the hint is the beginning of each completion, of tokens that carry no loss; what follows is sampled and
 * trained on as usual, on-policy to the bit. A problem that no hint helps with keeps its first group.
 *
 * With `most_levels: by-rate` a problem gets the less of a hint the more often it was solved before: ⌈hint_levels·(1 − p)⌉
 * levels, p its moving share of right completions. What the policy gains by itself is then logged by kind: `capability` is the
 * share of seen problems that are solved for the first time, `compression` how much the share of those changes that were solved
 * before.
 *
 * `unhinted` trains on what a hint has led to as if it had not been there; see hints.ts.
 */

import { ledger } from '../../../../src/methods/uses/ledger.ts';
import type { RolloutGroup, RolloutStrategy, RolloutTools } from '../kit.ts';
import { choice, helpedRows, integer, keys, laterKey, meanOf, method, shareRight, TYPICAL_DEAD_SHARE } from '../kit.ts';
import {
  asSampled,
  HINT_OPTIONS,
  hinted,
  hintForm,
  hintsOf,
  hintUses,
  TRAINED_OPTION,
  trained,
} from '../support/rollouts/hints.ts';
import { isUnsolved } from '../support/rollouts/unsolved.ts';

export const hintResample = method({
  id: 'hint-resample',
  about: {
    does: 'Samples problems that no completion solved again, with more and more of a hint.',
    names: ['GHPO', 'adaptive prompt refinement', 'Guide-GRPO', 'guided'],
    formula: 'the first i/(hint_levels + 1) of a solution, i = 1 … hint_levels, until one completion is right',
    source: '2507.10628',
    certainty: 'after the paper',
  },
  against: ['all-wrong', 'low-solve-rate'],
  options: keys({
    hintLevels: integer({ min: 1, max: 32, example: 3 })
      .default(3)
      .describe(
        'Lengths of a hint that are tried, the shortest first. Default {default}: a quarter, a half, three quarters.',
      ),
    firstHintStep: integer({ min: 0, example: 10 }).default(0).describe('Optimizer steps of the stage without hints.'),
    ...HINT_OPTIONS,
    ...TRAINED_OPTION,
    mostLevels: laterKey(
      'most_levels',
      choice(['all', 'by-rate'])
        .default('all')
        .describe('by-rate: fewer levels for what was solved more often before.'),
    ),
  }),
  uses: (options) => [...hintUses(options), ...(options.mostLevels === 'by-rate' ? [ledger({ history: true })] : [])],
  demonstrate: hintForm,
  samplesOffPolicy: (options) => !asSampled(options),
  tells: ['hints'],
  helps: ['hinted'],
  readsVerdicts: true,
  work: ({ hintLevels }, { batch: { numGenerations } }, lengths) => {
    const rounds = Array.from({ length: hintLevels }, (_, level) => TYPICAL_DEAD_SHARE ** level);
    return { rows: rounds.reduce((sum, share) => sum + share * helpedRows(numGenerations, lengths), 0) };
  },
  create: ({ hintLevels, firstHintStep, mostLevels, ...options }): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      const { step, metric } = tools;
      const groups = [...(await next(requests))];
      if (mostLevels === 'by-rate') logGains(groups, tools);
      if (step < firstHintStep) return groups;
      const hints = groups.map((group) => {
        if (!isUnsolved(group)) return [];
        const own = hintsOf(group.item, hintLevels, options, tools);
        if (mostLevels === 'all') return own;
        return own.slice(0, Math.ceil(hintLevels * (1 - (tools.ledger.get(group.item)?.solved ?? 0))));
      });
      let failed = hints.flatMap((own, i) => (own.length > 0 ? [i] : []));
      metric('rate', failed.length / groups.length);
      for (let level = 1; level <= hintLevels; level++) {
        failed = failed.filter((i) => hints[i].length >= level);
        const asked = failed.map((i) =>
          hinted(groups[i].item, groups[i].rollouts.length, hints[i][level - 1], options, tools),
        );
        const again = asked.length === 0 ? [] : await next(asked);
        const solved = failed.filter((_, k) => !isUnsolved(again[k]));
        failed.forEach((i, k) => {
          if (!isUnsolved(again[k])) groups[i] = trained(again[k], options);
        });
        groups.push(...again.slice(failed.length)); // for a strategy after this one that has asked for more
        metric(`solved_at_${level}`, asked.length === 0 ? 0 : solved.length / asked.length);
        failed = failed.filter((i) => !solved.includes(i));
      }
      return groups;
    },
  }),
});

/** Gains without a hint since the last visit: by problems that are new among the solved, and by those that were there. */
function logGains(groups: readonly RolloutGroup[], { ledger, metric }: RolloutTools): void {
  const seen = groups.flatMap((group) => {
    const history = ledger.get(group.item)?.history ?? [];
    const last = history.at(-1);
    if (last === undefined || group.kind !== undefined) return [];
    return [{ wasSolved: history.some((share) => share > 0), gain: shareRight([group]) - last }];
  });
  const known = seen.filter(({ wasSolved }) => wasSolved);
  if (seen.length > 0) {
    metric('capability', seen.filter(({ wasSolved, gain }) => !wasSolved && gain > 0).length / seen.length);
  }
  if (known.length > 0) metric('compression', meanOf(known.map(({ gain }) => gain)));
}
