/** Checks what rollout strategies return before computing with it: an unknown token would read foreign memory. */
import type { TaskItem } from '../../data/task.ts';
import { PluginError } from '../../errors.ts';
import type { RolloutGroup } from '../../methods/records.ts';
import { turnsFlaw } from '../../methods/support/rollouts/turns.ts';
import { type BatchLimits, fits, sizesOf } from '../../model/batch.ts';
import { tokenGroups } from '../update/credit.ts';
import { groupParts } from '../update/group_parts.ts';
import { solving } from './kinds.ts';

/** What the policy has room for. */
export interface GroupLimits {
  readonly vocabSize: number;
  /** Completions of a group, at most. */
  readonly samples: number;
  /** Tokens of a prompt and its completion. */
  readonly context: number;
  /** Limits of a micro-batch, which takes whole groups. */
  readonly batch: Required<BatchLimits>;
  /** Most completions in a batch's solving groups, after selection by strategies. */
  readonly completions: number;
  readonly select: (groups: readonly RolloutGroup[]) => readonly RolloutGroup[];
  /** As the problem is asked. */
  readonly promptTokens: (item: TaskItem) => Int32Array;
}

/** @param ids  of the strategies, for the message */
function flawed(ids: readonly string[], flaw: string): PluginError {
  const message = `rollout strategies ${ids.join(', ')} gave ${flaw}.`;
  return new PluginError('method-failed', message, { ids: ids.join() });
}

/** Requires that a strategy returned a list of groups. @throws PluginError `method-failed` */
export function requireGroups(given: unknown, id: string): void {
  const isGroup = (group: unknown): boolean =>
    typeof group === 'object' &&
    group !== null &&
    'item' in group &&
    'rollouts' in group &&
    Array.isArray(group.rollouts);
  if (Array.isArray(given) && given.every(isGroup)) return;
  throw flawed([id], 'something else than groups — give a list of them, as they came');
}

/** @param ids  of the strategies, for the message @throws PluginError `method-failed` */
export function validateGroups(groups: readonly RolloutGroup[], ids: readonly string[], limits: GroupLimits): void {
  if (groups.length === 0) throw flawed(ids, 'no groups — give those that were sampled');
  for (const group of groups) {
    const flaw = groupFlaw(group, limits);
    if (flaw === undefined) continue;
    throw flawed(ids, `${flaw} for problem ${group.item.id} — give groups as they came, with as many completions`);
  }
  const solve = solving(limits.select(groups));
  const count = solve.reduce((sum, { rollouts }) => sum + rollouts.length, 0);
  if (count <= limits.completions) return;
  const excess = `${count} completions in ${solve.length} groups, where ${limits.completions} have room`;
  throw flawed(ids, `${excess} — give as many groups as were asked for, or leave some out in \`select\``);
}

function groupFlaw(group: RolloutGroup, limits: GroupLimits): string | undefined {
  const { rollouts } = group;
  const { vocabSize, samples, context } = limits;
  if (rollouts.length === 0) return 'no completions';
  if (rollouts.length > samples) return `${rollouts.length} completions where num_generations is ${samples}`;
  if (!sameTokens(group.prompt, limits.promptTokens(group.item))) return 'a prompt that is not that of its problem';
  const unread = rollouts.find(
    ({ verdict, reward }) => typeof verdict !== 'object' || !(reward === null || Number.isFinite(reward)),
  );
  if (unread !== undefined) return `a completion without a verdict, or with the reward ${String(unread.reward)}`;
  for (const rollout of rollouts) {
    const { tokens, labels = tokens, logprobs, entropies, keptLogMass, prompt = group.prompt } = rollout;
    const { length } = tokens;
    if (prompt.length === 0 || prompt.length + length > context) {
      return `a prompt of ${prompt.length} tokens and a completion of ${length}, where 1 or more, and ${context} altogether, have room`;
    }
    if ([labels, logprobs, entropies, keptLogMass].some((values) => values.length !== length)) {
      return `a completion of ${length} tokens with other counts of log-probs, entropies or labels`;
    }
    const flaw = turnsFlaw(rollout);
    if (flaw !== undefined) return flaw;
    const isUnknown = (token: number): boolean => token < 0 || token >= vocabSize;
    const unknown = tokens.find(isUnknown) ?? (prompt === group.prompt ? undefined : prompt.find(isUnknown));
    if (unknown !== undefined) return `token ${unknown} of a vocabulary of ${vocabSize}`;
  }
  const { rows, groups, completions } = limits.batch;
  const parts = groupParts(group, completions).map((part) => sizesOf(tokenGroups(part)));
  const taken = parts.find((part) => !fits(part, limits.batch));
  if (taken === undefined) return undefined;
  return `completions under ${taken.groups} prompts, of ${taken.rows} tokens in all, where ${groups} and ${rows} have room`;
}

function sameTokens(one: Int32Array, other: Int32Array): boolean {
  return one.length === other.length && one.every((token, i) => token === other[i]);
}
