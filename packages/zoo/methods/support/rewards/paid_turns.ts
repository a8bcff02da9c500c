/** What group steps that pay single turns share: how they are paid, and a word where nothing credits them. */
import { POLICY_TURN } from '../../../../../src/data/environment.ts';
import { type Look, type Rollout, type RolloutGroup, type Said, type Turn, tells } from '../../kit.ts';
import { mapRollouts } from './reward_parts.ts';

/** The turns of the policy among those of a completion. */
export function ownTurns({ turns = [] }: Pick<Rollout, 'turns'>): readonly Turn[] {
  return turns.filter(({ label }) => label === POLICY_TURN);
}

/**
 * The groups, whose episodes' turns are paid besides what they were.
 *
 * @param paidFor  [turns of the policy] of one episode; undefined where it is paid nothing
 */
export function payTurns(
  groups: readonly RolloutGroup[],
  paidFor: (own: readonly Turn[], episode: Rollout) => readonly number[] | undefined,
): readonly RolloutGroup[] {
  return mapRollouts(groups, (rollout): Rollout => {
    const paid = rollout.turns && paidFor(ownTurns(rollout), rollout);
    if (rollout.turns === undefined || paid === undefined) return rollout;
    let at = 0;
    const turns = rollout.turns.map((turn): Turn => {
      if (turn.label !== POLICY_TURN) return turn;
      return { ...turn, reward: (turn.reward ?? 0) + paid[at++] };
    });
    return { ...rollout, turns };
  });
}

/** Said before step 1 of a step that pays turns in a stage that credits none. */
export const warnUncredited: Look<Said> = (_, __, ___, members) =>
  tells(members, 'turns')
    ? undefined
    : 'pays single turns, and nothing of this stage credits them; use advantage_estimator: turn-return';
