/**
 * The policy's log-probs of off-policy rollouts before the first step on their batch. The ratio is then relative to
 * that policy, and the remaining factor to what sampled them becomes a weight (`decoupled`).
 */

import type { CreditedGroup } from '../../methods/records.ts';
import { proximalLogprobs } from '../../methods/uses/proximal_logprobs.ts';
import type { Engine } from '../engine.ts';
import { type Journal, timed } from '../journal.ts';
import type { Step } from '../step.ts';
import { actsInUpdate } from '../update/credit.ts';

/**
 * The groups with these log-probs, where a method asks for them: one scoring pass of the off-policy rollouts alone.
 *
 * @param isStale  the policy has changed since it sampled the batch, so all of it is off-policy
 */
export async function withProximalLogprobs(
  { generator }: Engine,
  step: Step,
  journal: Journal,
  groups: readonly CreditedGroup[],
  isStale = false,
): Promise<readonly CreditedGroup[]> {
  if (!step.methods.uses.has(proximalLogprobs)) return groups;
  const stale = groups
    .filter((group) => actsInUpdate(step.methods, group))
    .flatMap(({ prompt, rollouts }) =>
      rollouts
        .filter(({ isOffPolicy, inLoss }) => (isStale || isOffPolicy) && inLoss !== false)
        .map((rollout) => ({
          prefix: rollout.prompt ?? prompt,
          tokens: rollout.tokens,
          labels: rollout.labels,
          support: rollout.support,
          rollout,
        })),
    );
  const { temperature } = step.stage.sampling;
  const scores = await timed(journal, 'update', () => generator.score(stale, { temperature }));
  const proximal = new Map(stale.map(({ rollout }, i) => [rollout, scores[i].logprobs]));
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => {
      const logprobs = proximal.get(rollout);
      return logprobs === undefined ? rollout : { ...rollout, proximalLogprobs: logprobs };
    }),
  }));
}
