/**
 * Calls that find nothing cost by what they dilute, and an answer before everything is known is worth less even where it
 * is right. After FTRL, arXiv:2508.08791.
 */

import { states } from '../../../../src/methods/uses/states.ts';
import { type GroupStep, isRight, keys, meanOf, method, number, type Rollout, type Turn } from '../kit.ts';
import { ownTurns, payTurns, warnUncredited } from '../support/rewards/paid_turns.ts';
import { callsOfTurn } from '../support/rewards/tool_calls.ts';

const EMPTY = -0.5;
const MALFORMED = -0.3;
const ALL_KNOWN = 0.5;

export const toolScore = method({
  id: 'tool-score',
  about: {
    does: 'Pays turns with calls of tools for the facts that they find out, and answers for what was known.',
    names: ['FTRL'],
    formula:
      'r_k ← r_k + coef·(calls: 2·solved/(calls + 1) | right: 1/(1 + unsolved) | wrong: 0.5·[unsolved = 0] | empty −0.5 | breaks the rules −0.3)',
    source: '2508.08791',
    certainty: 'after the paper',
    when: 'Where an episode is seldom won and single calls can be judged by the facts that they find.',
  },
  options: keys({
    coef: number({ above: 0, example: 0.5 }).default(1).describe('Factor on what turns are paid for it.'),
  }),
  warn: warnUncredited,
  uses: () => [states('calls')],
  readsVerdicts: true,
  create: ({ coef }): GroupStep => ({
    scope: 'group',
    apply: (groups, { metric }) => {
      const rollouts = groups.flatMap((group) => group.rollouts);
      const rightTurns = new Set(rollouts.flatMap(rightAnswer));
      const scores: number[] = [];
      const paid = payTurns(groups, (own) => {
        const found = own.map((turn) => scoreOf(turn, rightTurns.has(turn)));
        if (found.includes(undefined)) return undefined;
        const known = found.map((score = 0) => score);
        scores.push(...known);
        return known.map((score) => coef * score);
      });
      if (scores.length > 0) metric('score', meanOf(scores));
      return paid;
    },
  }),
});

/** The turn that answered rightly, where the episode is won. */
function rightAnswer(rollout: Rollout): readonly Turn[] {
  return isRight(rollout) ? ownTurns(rollout).slice(-1) : [];
}

/** Undefined where nothing is known of its calls. */
function scoreOf(turn: Turn, isRightAnswer: boolean): number | undefined {
  const calls = callsOfTurn(turn);
  if (calls === undefined) return undefined;
  const { made, solved, open } = calls;
  if (turn.text.trim() === '') return EMPTY;
  if (turn.illegal) return MALFORMED;
  if (made > 0) return (2 * solved) / (made + 1);
  if (isRightAnswer) return 1 / (1 + open);
  return open === 0 ? ALL_KNOWN : 0;
}
