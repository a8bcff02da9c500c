/**
 * Lets the policy write in roles within a turn, as several agents in one: a plan, a look back, then the action. Its
 * environment reads only what is outside of them. Their tokens are the policy's own and are trained on, by a factor of their
 * advantage; what is answered carries no loss, as usual. After Chain-of-Agents, arXiv:2508.13167.
 */
import { z } from 'zod';
import type { PlayedEpisode, PlayedTurn } from '../../../../src/data/environment.ts';
import { POLICY_TURN } from '../../../../src/data/environment.ts';
import type { TurnForm, Writing } from '../../../../src/data/prompts/turn_forms.ts';
import type { Rng } from '../../../../src/kernels/philox.ts';
import { advantagesByToken } from '../../../../src/methods/support/credit/map_advantages.ts';
import { ownLength, turnsOf } from '../../../../src/methods/support/rollouts/turns.ts';
import { type CreditStep, counts, integer, keys, method, number, type Rollout } from '../kit.ts';
import { marksOf, outsideRoles, rolesByToken } from '../support/rollouts/roles.ts';
import { turnForm } from '../uses/turn_form.ts';

/** Roles that the teacher of a warm start knows how to play. */
const [PLAN, REFLECT] = ['plan', 'reflect'];

export const roleTags = method({
  id: 'role-tags',
  about: {
    does: 'Lets a turn have parts in roles, as a plan, which the environment does not read, and weighs their credit.',
    names: ['Chain-of-Agents', 'AFM', 'role tags'],
    formula: 'A_t ← role_factor·A_t where token t is within <role>…</role>; the action is what is outside of them',
    source: '2508.13167',
    certainty: 'after the paper',
    when: 'Where turns hold a plan beside the action and one of them is to learn faster; needs a warm start on the tags.',
  },
  options: keys({
    roles: z
      .array(z.string().regex(/^[a-z_]+$/), {
        error: 'must be a list of roles in small letters; for example [plan, reflect]',
      })
      .min(1, 'must name a role; for example [plan, reflect]')
      .default([PLAN, REFLECT])
      .describe('Roles, each written as <role>…</role>.'),
    roleTokens: integer({ min: 3, example: 16 })
      .default(16)
      .describe('Tokens by which a turn may be longer for them, marks included.'),
    roleFactor: number({ min: 0, example: 0.5 })
      .default(1)
      .describe('Factor of the advantage of tokens in a role; 0 leaves them out of the loss.'),
    shownShare: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of the episodes that the teacher of a warm start writes with roles.'),
  }),
  note: () => 'a pretrained model does not know of the roles: say so in `system` of its task',
  uses: (options) => [turnForm(roleForm(options))],
  create: ({ roles, roleFactor }): CreditStep => ({
    apply(groups, { tokenText, metric }) {
      const roleOf = groups.map(({ rollouts }) => rollouts.map((rollout) => rolesOfTokens(rollout, roles, tokenText)));
      const own = groups.flatMap(({ rollouts }) => rollouts.map(ownLength)).reduce((sum, length) => sum + length, 0);
      const written = roleOf.flat(2);
      for (const role of roles) metric(role, written.filter((found) => found === role).length / Math.max(1, own));
      if (roleFactor === 1) return groups;
      return groups.map((group, g) => {
        if (group.dead || roleOf[g].every((found) => found.every((role) => role === undefined))) return group;
        const tokenAdvantages = group.rollouts.map((rollout, i) => {
          const values = advantagesByToken(group, i);
          if (!counts(rollout)) return values;
          return values.map((value, t) => (roleOf[g][i][t] === undefined ? value : roleFactor * value));
        });
        return { ...group, tokenAdvantages };
      });
    },
  }),
});

/** [tokens] the role that each is written in; undefined: none, or not the policy's. */
function rolesOfTokens(
  rollout: Rollout,
  roles: readonly string[],
  tokenText: (id: number) => string,
): readonly (string | undefined)[] {
  return turnsOf(rollout).flatMap(({ tokens, label }) =>
    label === POLICY_TURN ? rolesByToken(tokens, roles, tokenText) : Array.from(tokens, () => undefined),
  );
}

interface RoleOptions {
  readonly roles: readonly string[];
  readonly roleTokens: number;
  readonly shownShare: number;
}

function roleForm(options: RoleOptions): TurnForm {
  const { roles, roleTokens, shownShare } = options;
  return {
    id: `role-tags ${roles.join()} ${roleTokens} ${shownShare}`,
    marks: [...roles.flatMap(marksOf), ' '],
    mostActions: 1,
    read: (turn) => [outsideRoles(turn, roles)],
    turnTokens: (action) => action + roleTokens,
    show: (episode, rng, writing) => inRoles(episode, options, rng, writing),
  };
}

/**
 * An episode with a plan before its first action, which names the actions to come, and with a look back after each error,
 * which names the action that was wrong; both as far as there is room.
 */
function inRoles(
  episode: PlayedEpisode,
  { roles, roleTokens, shownShare }: RoleOptions,
  rng: Rng,
  { lengthOf }: Writing,
): PlayedEpisode {
  if (rng.float() >= shownShare) return episode;
  const said = (role: string, actions: readonly PlayedTurn[]): string => {
    const [open, close] = marksOf(role);
    const texts = actions.map(({ text }) => text);
    for (let count = roles.includes(role) ? texts.length : 0; count > 0; count--) {
      const text = `${open}${texts.slice(0, count).join(' ')}${close}`;
      if (lengthOf(text) <= roleTokens) return text;
    }
    return '';
  };
  const actions = episode.turns.filter(({ from }) => from === POLICY_TURN);
  const written = actions.map((action, k) => {
    const before = k === 0 ? undefined : actions[k - 1];
    const role = before === undefined ? said(PLAN, actions) : before.errs ? said(REFLECT, [before]) : '';
    return { ...action, text: `${role}${action.text}` };
  });
  let at = 0;
  return { ...episode, turns: episode.turns.map((turn) => (turn.from === POLICY_TURN ? written[at++] : turn)) };
}
