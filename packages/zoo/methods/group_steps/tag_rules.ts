/**
 * Pays turns for being the kind of step that they say they are: a plan, if the episode is won; a look around, if it
 * leads to a state that the episode was not in before; a look back, if what was done before it failed, and what it does
 * works. A turn says what it is by a mark.
 */

import { states } from '../../../../src/methods/uses/states.ts';
import { type GroupStep, isRight, keys, meanOf, method, number, type Turn, text } from '../kit.ts';
import { payTurns, warnUncredited } from '../support/rewards/paid_turns.ts';
import { tagOf, UNTAGGED } from '../support/rollouts/turn_tags.ts';

export const tagRules = method({
  id: 'tag-rules',
  about: {
    does: 'Pays plans of won episodes, looks around that find something new, and looks back that mend a failure.',
    names: ['RLVMR', 'verifiable meta-reasoning'],
    formula:
      'r_k ← r_k + coef·([plan, won] + [explore, s_{k+1} new in the episode] + [reflect, turn k − 1 failed, turn k does not]) − untagged·[no mark]',
    source: '2507.22844',
    certainty: 'after the paper',
    when: 'For episodes in which planning and looking back are to be kept apart; needs a warm start on the marks.',
  },
  options: keys({
    coef: number({ above: 0, example: 0.5 }).default(0.5).describe('What a turn is paid that keeps its rule.'),
    untagged: number({ min: 0, example: 0.1 }).default(0).describe('What a turn without a mark is charged.'),
    plan: text('<plan>').default('<plan>').describe('The mark of a plan.'),
    explore: text('<explore>').default('<explore>').describe('The mark of a look around.'),
    reflect: text('<reflect>').default('<reflect>').describe('The mark of a look back.'),
  }),
  warn: warnUncredited,
  uses: () => [states()],
  readsVerdicts: true,
  create: ({ coef, untagged, plan, explore, reflect }): GroupStep => ({
    scope: 'group',
    apply: (groups, { metric }) => {
      const [tagged, kept]: [number[], number[]] = [[], []];
      const paid = payTurns(groups, (own, episode) => {
        const isNew = leadsToNew(own);
        return own.map((turn, k) => {
          const tag = tagOf(turn, [plan, explore, reflect]);
          tagged.push(Number(tag !== UNTAGGED));
          if (tag === UNTAGGED) return 0 - untagged;
          const mends = k > 0 && hasFailed(own[k - 1]) && !hasFailed(turn);
          const keeps = tag === plan ? isRight(episode) : tag === explore ? isNew[k] : mends;
          kept.push(Number(keeps));
          return keeps ? coef : 0;
        });
      });
      if (tagged.length > 0) metric('tagged', meanOf(tagged));
      if (kept.length > 0) metric('kept', meanOf(kept));
      return paid;
    },
  }),
});

/** [turns] whether a turn leads to a state that its episode was not in before. */
function leadsToNew(own: readonly Turn[]): boolean[] {
  const seen = new Set<string | undefined>([own[0]?.before?.key]);
  return own.map(({ after }) => {
    if (after === undefined || seen.has(after.key)) return false;
    seen.add(after.key);
    return true;
  });
}

/** It broke the rules, was denied, or changed nothing. */
function hasFailed({ illegal, denied, before, after }: Turn): boolean {
  return illegal === true || denied === true || (before !== undefined && before.key === after?.key);
}
