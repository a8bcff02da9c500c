/** What rollout strategies give back, looked at before anything is computed from it: a token that there is not is read from memory that is not its own. */
import { PluginError } from '../errors.ts';
import type { RolloutGroup } from '../methods/records.ts';
import { type BatchLimits, fits, sizesOf } from '../model/batch.ts';
import { tokenGroups } from './credit.ts';
import { groupParts } from './group_parts.ts';

/** What the policy has room for. */
export interface GroupLimits {
  readonly vocabSize: number;
  /** Completions of a group, at most. */
  readonly samples: number;
  /** Tokens of a prompt and a completion behind it. */
  readonly context: number;
  /** Of a micro-batch, which takes whole groups. */
  readonly batch: Required<BatchLimits>;
}

/** @param ids  of the strategies, for the message @throws PluginError `method-failed` */
export function requireSound(groups: readonly RolloutGroup[], ids: readonly string[], limits: GroupLimits): void {
  for (const group of groups) {
    const { item } = group;
    const flaw = groupFlaw(group, limits);
    if (flaw === undefined) continue;
    const message = `rollout strategies ${ids.join(', ')} gave ${flaw} for problem ${item.id} — give groups as they came, with as many completions.`;
    throw new PluginError('method-failed', message, { ids: ids.join() });
  }
}

function groupFlaw(group: RolloutGroup, limits: GroupLimits): string | undefined {
  const { rollouts } = group;
  const { vocabSize, samples, context } = limits;
  if (rollouts.length === 0) return 'no completions';
  if (rollouts.length > samples) return `${rollouts.length} completions where num_generations is ${samples}`;
  for (const { tokens, labels = tokens, logprobs, entropies, keptLogMass, prompt = group.prompt } of rollouts) {
    const { length } = tokens;
    if (prompt.length === 0 || prompt.length + length > context) {
      return `a prompt of ${prompt.length} tokens and a completion of ${length}, where 1 or more, and ${context} altogether, have room`;
    }
    if ([labels, logprobs, entropies, keptLogMass].some((own) => own.length !== length)) {
      return `a completion of ${length} tokens with other counts of log-probs, entropies or labels`;
    }
    const unknown = [...tokens, ...prompt].find((token) => token < 0 || token >= vocabSize);
    if (unknown !== undefined) return `token ${unknown} of a vocabulary of ${vocabSize}`;
  }
  const { rows, groups, completions } = limits.batch;
  const parts = groupParts(group, completions).map((part) => sizesOf(tokenGroups(part)));
  const taken = parts.find((part) => !fits(part, limits.batch));
  if (taken === undefined) return undefined;
  return `completions under ${taken.groups} prompts, of ${taken.rows} tokens in all, where ${groups} and ${rows} have room`;
}
