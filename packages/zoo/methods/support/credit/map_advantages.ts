/** How shapers change advantages: each one once, be it of a completion or of a token. */
import { type CreditedGroup, counts, type Rollout } from '../../kit.ts';

/**
 * The groups with each advantage mapped: those of tokens, too, where credit differs by token. Left as they are: groups
 * that are dead, since no update may come of them, and completions whose reward does not count.
 */
export function mapAdvantages(
  groups: readonly CreditedGroup[],
  map: (advantage: number, rollout: Rollout, group: CreditedGroup) => number,
): readonly CreditedGroup[] {
  return groups.map((group) => {
    if (group.dead) return group;
    const { rollouts, advantages, tokenAdvantages } = group;
    const mapped = (values: Float32Array, i: (place: number) => number): Float32Array =>
      values.map((value, place) => (counts(rollouts[i(place)]) ? map(value, rollouts[i(place)], group) : value));
    return {
      ...group,
      advantages: mapped(advantages, (place) => place),
      ...(tokenAdvantages && { tokenAdvantages: tokenAdvantages.map((own, i) => mapped(own, () => i)) }),
    };
  });
}

/** A number of the group at hand, asked once per group and not once per advantage. */
export function oncePerGroup(of: (group: CreditedGroup) => number): (group: CreditedGroup) => number {
  let [last, value]: [CreditedGroup | undefined, number] = [undefined, 0];
  return (group) => {
    if (group !== last) [last, value] = [group, of(group)];
    return value;
  };
}
