/** Splits groups that exceed a micro-batch. Parts use the whole group's statistics, and their gradients add up. */
import type { CreditedGroup, RolloutGroup } from '../../methods/records.ts';

/** A group, or some of its completions. */
export type GroupPart<Group extends RolloutGroup = CreditedGroup> = Group & {
  /** The group that it is a part of; absent: it is whole. */
  readonly whole?: Group;
};

/** The fields of a group that have an entry for each of its rollouts. */
const BY_ROLLOUT = ['rollouts', 'advantages', 'tokenAdvantages', 'tokenWeights', 'tokenSelection'] as const;

/** The group in parts of at most `most` completions, in order. */
export function groupParts<Group extends RolloutGroup>(group: Group, most: number): GroupPart<Group>[] {
  const { length } = group.rollouts;
  if (length <= most) return [group];
  const held: Partial<CreditedGroup> = group;
  return Array.from({ length: Math.ceil(length / most) }, (_, part) => {
    const fields = BY_ROLLOUT.flatMap((name) => {
      const values = held[name];
      return values === undefined ? [] : [[name, values.slice(part * most, (part + 1) * most)] as const];
    });
    return { ...group, ...Object.fromEntries(fields), whole: group };
  });
}
