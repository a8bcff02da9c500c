/**
 * Groups of several kinds in one batch. Groups without a kind solve problems; others, say, verify or compare answers.
 * One strategy asks for a kind and says how to judge it. A kind is normalised separately, and hidden from other
 * strategies, group steps and figures of solving.
 */
import type { GroupRequest, RollOut } from '../../methods/points.ts';
import type { Rollout, RolloutGroup } from '../../methods/records.ts';
import type { Completion } from '../../model/sampling/generation.ts';
import type { Engine } from '../engine.ts';
import type { Step } from '../step.ts';
import { completionText } from './complete.ts';

interface OfKind {
  readonly kind?: string;
}

/** The groups that solve problems. */
export function solving<Group extends OfKind>(groups: readonly Group[]): readonly Group[] {
  return groups.some(isOfAKind) ? groups.filter((group) => !isOfAKind(group)) : groups;
}

/** The groups that do not solve problems. */
export function notSolving<Group extends OfKind>(groups: readonly Group[]): readonly Group[] {
  return groups.filter(isOfAKind);
}

/** Maps the groups that solve, if there are some; the others follow unchanged. */
export function mapSolvingGroups<Group extends OfKind>(
  groups: readonly Group[],
  change: (groups: readonly Group[]) => readonly Group[],
): readonly Group[] {
  const solvingGroups = solving(groups);
  return solvingGroups.length === 0 ? groups : [...change(solvingGroups), ...notSolving(groups)];
}

function isOfAKind({ kind }: OfKind): boolean {
  return kind !== undefined;
}

/** The groups of each kind, in order, those that solve first. */
export function byKind<Group extends OfKind>(groups: readonly Group[]): Group[][] {
  const kinds = new Map<string | undefined, Group[]>();
  for (const group of [...solving(groups), ...notSolving(groups)]) {
    const sameKind = kinds.get(group.kind);
    if (sameKind === undefined) kinds.set(group.kind, [group]);
    else sameKind.push(group);
  }
  return [...kinds.values()];
}

/**
 * A strategy for requests that solve; those of another kind bypass it.
 *
 * @param otherKinds  collects groups of a kind that the strategy returns in addition to those that solve
 */
export function bypassOtherKinds(strategy: RollOut, next: RollOut, otherKinds: RolloutGroup[]): RollOut {
  return async (requests) => {
    if (requests.length > 0 && solving(requests).length === 0) return next(requests);
    const given = requests.some(isOfAKind) ? await mixed(requests, strategy, next) : await strategy(requests);
    if (requests.some(isOfAKind)) return given;
    otherKinds.push(...notSolving(given));
    return solving(given);
  };
}

/** One group for each request, in order, then what else the strategy returned. */
async function mixed(requests: readonly GroupRequest[], strategy: RollOut, next: RollOut): Promise<RolloutGroup[]> {
  const solved = [...(await strategy(solving(requests)))];
  const otherGroups = [...(await next(notSolving(requests)))];
  const inOrder = requests.flatMap((request) => (isOfAKind(request) ? otherGroups : solved).splice(0, 1));
  return [...inOrder, ...solved, ...otherGroups];
}

/** Judges and rewards completions of requests, one group each. */
export type Rewarder = (
  requests: readonly GroupRequest[],
  completions: readonly (readonly Completion[])[],
) => Promise<RolloutGroup[]>;

/** Judges and pays requests by their own judge if they have one, the rest by the task and its rewards. */
export function withCustomJudges(engine: Engine, step: Step, reward: Rewarder): Rewarder {
  return async (requests, completions) => {
    if (!requests.some(({ judge }) => judge)) return reward(requests, completions);
    const usual = requests.flatMap(({ judge }, i) => (judge ? [] : [i]));
    const rewarded = await reward(
      usual.map((i) => requests[i]),
      usual.map((i) => completions[i]),
    );
    return requests.map((request, i) =>
      request.judge ? judgedGroup(engine, step, request, completions[i]) : (rewarded.shift() as RolloutGroup),
    );
  };
}

function judgedGroup(
  { tasks }: Engine,
  { rewards }: Step,
  { item, prompt, kind, judge, origin = kind }: GroupRequest,
  completions: readonly Completion[],
): RolloutGroup {
  const rewardParts = rewards.map(() => null);
  const rollouts = completions.map((completion): Rollout => {
    const text = completionText(tasks, completion);
    const verdict = (judge as NonNullable<typeof judge>)(text);
    const reward = verdict.score;
    return { ...completion, text, verdict, rewardParts, reward, ...(origin && { origin }), ...(prompt && { prompt }) };
  });
  return { item, prompt: tasks.promptTokens(item), rollouts, dead: false, ...(kind && { kind }) };
}
