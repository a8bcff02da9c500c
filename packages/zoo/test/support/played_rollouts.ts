/** Episodes by hand, and group steps of a stage on them. */
import type { KnownState } from '../../../../src/data/environment.ts';
import type { Rollout, RolloutGroup, Turn } from '../../../../src/methods/records.ts';
import { createMethods } from '../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { stepContext } from '../../../../test/support/steps.ts';

/** An action as a test writes it. */
export type Action = Omit<Partial<Turn>, 'tokens' | 'label'>;

/** An episode whose turns have two tokens each, with an observation of one between them. */
export function episodeOf(
  reward: number | null,
  actions: readonly Action[],
  observed: readonly string[] = [],
): Rollout {
  const whole = rolloutOf(3 * actions.length - 1, reward);
  const turns = actions.flatMap((action, k): Turn[] => [
    { tokens: whole.tokens.subarray(3 * k, 3 * k + 2), label: 'policy', text: '', ...action },
    ...(k < actions.length - 1
      ? [{ tokens: whole.tokens.subarray(3 * k + 2, 3 * k + 3), label: 'environment', text: observed[k] ?? '' }]
      : []),
  ]);
  return { ...whole, turns };
}

/** The actions of an episode that goes through these states. */
export function through(...states: readonly Partial<KnownState>[]): Action[] {
  const known = states.map((state, at) => ({ key: String(at), ...state }));
  return known.slice(1).map((after, at) => ({ before: known[at], after }));
}

/** The policy's turns as they are paid. */
export function paidIn({ turns = [] }: Rollout): (number | undefined)[] {
  return turns.flatMap(({ label, reward }) => (label === 'policy' ? [reward] : []));
}

/** What group steps make of episodes of one group, and what they log. @param lines  of the stage */
export function stepped(
  episodes: readonly Rollout[],
  ...lines: readonly string[]
): { readonly rollouts: readonly Rollout[]; readonly logged: Readonly<Record<string, number>> } {
  const stage = stageOf(...lines);
  const logged: Record<string, number> = {};
  const before: readonly RolloutGroup[] = [groupOf(episodes)];
  const [{ rollouts }] = createMethods(stage).groupSteps.reduce(
    (groups, { id, part }) =>
      part.apply(groups, {
        ...stepContext(stage),
        metric: (name, value) => {
          logged[`${id}/${name}`] = value;
        },
      }),
    before,
  );
  return { rollouts, logged };
}
