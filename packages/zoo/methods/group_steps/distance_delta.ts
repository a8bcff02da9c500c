import { states } from '../../../../src/methods/uses/states.ts';
import { type GroupStep, keys, meanOf, method, number, type Turn } from '../kit.ts';
import { payTurns, warnUncredited } from '../support/rewards/paid_turns.ts';

/**
 * Unlike potential-shaping it pays a fixed sum, whatever the distance; with `away` equal to `coef`, going to and fro
 * pays nothing.
 */
export const distanceDelta = method({
  id: 'distance-delta',
  about: {
    does: 'Pays each turn that leads nearer to won, and may charge one that leads away.',
    names: ['AutoWebWorld', 'Large Reward Models'],
    formula: 'r_k ← r_k + coef·[d(s_{k+1}) < d(s_k)] − away·[d(s_{k+1}) > d(s_k)], d: fewest actions to won',
    source: 'own',
    certainty: 'after the paper',
    when: 'For episodes that are seldom won, where the distance to the goal is known; with `away` below `coef`, going to and fro pays.',
  },
  options: keys({
    coef: number({ above: 0, example: 0.1 }).default(0.1).describe('What a turn that leads nearer is paid.'),
    away: number({ min: 0, example: 0.1 })
      .default(0.1)
      .describe('What a turn that leads away is charged; 0: to and fro then pays half of its turns.'),
  }),
  warn: (written, ...stage) => {
    const said = [warnUncredited(written, ...stage)].flat().filter((text) => text !== undefined);
    const { coef = 0.1, away = 0.1 } = written;
    if (typeof coef !== 'number' || typeof away !== 'number' || away >= coef) return said;
    return [...said, 'pays for going to and fro, since away is less than coef; use away of the same value'];
  },
  uses: () => [states('distance')],
  create: ({ coef, away }): GroupStep => ({
    scope: 'group',
    apply: (groups, { metric }) => {
      const nearer: number[] = [];
      const paid = payTurns(groups, (own) => {
        if (own.every(({ before }) => before?.distance === undefined)) return undefined;
        const signs = own.map(directionOf);
        nearer.push(...signs.map((sign) => Number(sign > 0)));
        return signs.map((sign) => (sign > 0 ? coef : sign < 0 ? -away : 0));
      });
      if (nearer.length > 0) metric('nearer', meanOf(nearer));
      return paid;
    },
  }),
});

/** 1 nearer, −1 away, 0 neither; where nothing leads to won any more, won is infinitely far. */
function directionOf({ before, after }: Turn): number {
  const { distance: from = Number.POSITIVE_INFINITY } = before ?? {};
  const { distance: to = Number.POSITIVE_INFINITY } = after ?? {};
  return Number(to < from) - Number(to > from);
}
