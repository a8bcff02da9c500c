/** What rollout strategies give back, looked at before anything is computed from it: a token that there is not is read from memory that is not its own. */
import { PluginError } from '../errors.ts';
import type { Rollout, RolloutGroup } from '../methods/records.ts';

/** What the policy has room for. */
export interface GroupLimits {
  readonly vocabSize: number;
  /** Completions of a group, at most. */
  readonly samples: number;
}

/** @param ids  of the strategies, for the message @throws PluginError `method-failed` */
export function requireSound(groups: readonly RolloutGroup[], ids: readonly string[], limits: GroupLimits): void {
  for (const { item, rollouts } of groups) {
    const flaw = groupFlaw(rollouts, limits);
    if (flaw === undefined) continue;
    const message = `rollout strategies ${ids.join(', ')} gave ${flaw} for problem ${item.id} — give groups as they came, with as many completions.`;
    throw new PluginError('method-failed', message, { ids: ids.join() });
  }
}

function groupFlaw(rollouts: readonly Rollout[], { vocabSize, samples }: GroupLimits): string | undefined {
  if (rollouts.length === 0) return 'no completions';
  if (rollouts.length > samples) return `${rollouts.length} completions where num_generations is ${samples}`;
  for (const { tokens, labels = tokens, logprobs, entropies, keptLogMass } of rollouts) {
    const { length } = tokens;
    if ([labels, logprobs, entropies, keptLogMass].some((own) => own.length !== length)) {
      return `a completion of ${length} tokens with other counts of log-probs, entropies or labels`;
    }
    const unknown = tokens.find((token) => token < 0 || token >= vocabSize);
    if (unknown !== undefined) return `token ${unknown} of a vocabulary of ${vocabSize}`;
  }
  return undefined;
}
