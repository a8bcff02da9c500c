/**
 * Where no completion of a problem is right, its group is sampled again behind the beginning of a solution, and behind
 * more of it, until one is. The hint is the beginning of each completion, of tokens that carry no loss; what follows is
 * sampled and trained on as ever, on-policy to the bit. A problem that no hint helps with keeps its first group.
 */
import { key, whole } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { GroupRequest, RolloutStrategy } from '../points.ts';
import type { RolloutGroup } from '../records.ts';
import { isUnsolved } from './unsolved.ts';

export const hintResample = method({
  id: 'hint-resample',
  about: {
    does: 'Samples problems that no completion solved again, behind more and more of a solution.',
    names: ['GHPO', 'adaptive prompt refinement'],
    formula: 'the first i/(hint_levels + 1) of a solution, i = 1 … hint_levels, until one completion is right',
    source: '2507.10628',
    certainty: 'after the paper',
  },
  options: {
    hintLevels: key(
      'hint_levels',
      whole({ least: 1, most: 32, example: 3 })
        .default(3)
        .describe(
          'Lengths of a hint that are tried, the shortest first. Default 3: a quarter, a half, three quarters.',
        ),
    ),
    firstHintStep: key(
      'first_hint_step',
      whole({ least: 0, example: 10 }).default(0).describe('Optimizer steps of the stage without hints. Default 0.'),
    ),
  },
  create: ({ hintLevels, firstHintStep }): RolloutStrategy => ({
    async rollOut(requests, next, { step, solution, metric }) {
      const groups = [...(await next(requests))];
      if (step < firstHintStep) return groups;
      let failed = groups.flatMap((group, i) => (isUnsolved(group) && solution(group.item).length > 1 ? [i] : []));
      metric('rate', failed.length / groups.length);
      for (let level = 1; level <= hintLevels; level++) {
        const share = level / (hintLevels + 1);
        const asked = failed.map((i) => hinted(groups[i], solution(groups[i].item), share));
        const again = asked.length === 0 ? [] : await next(asked);
        const solved = failed.filter((_, k) => !isUnsolved(again[k]));
        failed.forEach((i, k) => {
          if (!isUnsolved(again[k])) groups[i] = again[k];
        });
        groups.push(...again.slice(failed.length)); // of a strategy behind this one that has asked for more
        metric(`solved_at_${level}`, asked.length === 0 ? 0 : solved.length / asked.length);
        failed = failed.filter((i) => !solved.includes(i));
      }
      return groups;
    },
  }),
});

/** The problem of a group once more; at least one token of the solution is shown, and one left out. */
function hinted({ item, rollouts }: RolloutGroup, solution: Int32Array, share: number): GroupRequest {
  const shown = Math.min(solution.length - 1, Math.max(1, Math.floor(share * solution.length)));
  const prefix = solution.subarray(0, shown);
  return { item, samples: rollouts.length, prefixes: rollouts.map(() => prefix), origin: 'hinted' };
}
