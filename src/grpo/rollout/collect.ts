/**
 * Collects groups: draws prompts, samples their completions, verifies and rewards them.
 *
 * Plain sampling is the last link of the stage's chain of strategies: refill is one before it.
 */
import type { TaskItem } from '../../data/task.ts';
import { isPlain } from '../../methods/group_request.ts';
import type { StepContext } from '../../methods/method.ts';
import type { RollOut, RolloutTools } from '../../methods/points.ts';
import type { Collected, RolloutGroup } from '../../methods/records.ts';
import type { RolloutRows } from '../../model/sampling/kept_rollouts.ts';
import type { Engine } from '../engine.ts';
import { type Journal, timed } from '../journal.ts';
import { takeBackOnFailure } from '../rest_point.ts';
import type { Step } from '../step.ts';
import { actsInUpdate, selectedByStrategies, tokenGroups } from '../update/credit.ts';
import { microBatchCapacity } from '../update/update.ts';
import { CallContexts } from './call_contexts.ts';
import { sampledTokens } from './complete.ts';
import { Exclusions } from './exclusions.ts';
import { greedyRewards } from './greedy_rewards.ts';
import { GroupRounds, placesAfter, regrouped } from './group_steps.ts';
import { bypassOtherKinds, type Rewarder, withCustomJudges } from './kinds.ts';
import { LoggedMetrics } from './logged_metrics.ts';
import { openPrompts, type Prompts } from './prompts.ts';
import { rewarder } from './reward_groups.ts';
import { rolloutTools } from './rollout_tools.ts';
import { sampleRequests } from './sample_requests.ts';
import { markOffPolicy } from './sampling_params.ts';
import { requireGroups, validateGroups } from './validate_groups.ts';

/**
 * The groups of a generation batch: `promptsPerStep` prompts, transformed by the stage's strategies.
 *
 * @throws PluginError if a reward function fails; the run is then as before the batch
 */
export async function collectGroups(engine: Engine, step: Step, journal: Journal): Promise<Collected> {
  return takeBackOnFailure(journal, step.methods, async () => {
    const { tasks, policy } = engine;
    const { rolloutStrategies } = step.methods;
    const firstItem = journal.state.itemsDrawn;
    const excluded = new Exclusions();
    const logged = new LoggedMetrics(step.methods.members.map(({ method }) => method.id));
    policy.forgetKept();
    const prompts = openPrompts(engine, step, journal);
    const reward = withCustomJudges(engine, step, rewarder(engine, step, { excluded, logged }));
    const tools = { engine, step, journal, reward, prompts };
    const sampled: Sampled = { unaided: [], rounds: 0 };
    const otherKinds: RolloutGroup[] = [];
    const rollOut = rolloutStrategies.reduceRight<RollOut>(
      (next, strategy) => bypassOtherKinds(strategyBefore(next, strategy, tools), next, otherKinds),
      plainSampling(tools, sampled),
    );
    const solved = await rollOut(await prompts.draw(step.stage.batch.promptsPerStep));
    const groups = [...solved, ...otherKinds];
    if (rolloutStrategies.length > 0)
      validateGroups(
        groups,
        rolloutStrategies.map(({ id }) => id),
        limitsOf(engine, step),
      );
    excluded.requireFew();
    const { means } = logged;
    return {
      groups,
      ...sampled,
      ...(excluded.count > 0 && { excluded: { count: excluded.count, reasons: excluded.reasons } }),
      ...(means && { logged: means }),
      ...(tasks.isOverlong && { dropped: journal.state.itemsDrawn - firstItem - prompts.taken }),
    };
  });
}

/** What the links of a batch's chain share. */
interface BatchTools {
  readonly engine: Engine;
  readonly step: Step;
  readonly journal: Journal;
  readonly reward: Rewarder;
  readonly prompts: Prompts;
}

/** One strategy, which asks the next one for groups. */
function strategyBefore(
  next: RollOut,
  { id, part }: Step['methods']['rolloutStrategies'][number],
  { engine, step, journal, reward, prompts }: BatchTools,
): RollOut {
  const contexts = new CallContexts(step, id);
  const tools: Omit<RolloutTools, keyof StepContext> = {
    ...rolloutTools(engine, step, journal, (item, completions) =>
      reward([{ item, samples: completions.length }], [completions]),
    ),
    draw: prompts.draw,
    expect: prompts.expect,
    regroup: (group, rollouts) => regrouped(step, group, rollouts),
  };
  return async (requests) => {
    const groups = await part.rollOut(requests, next, { ...contexts.next(requests.length), ...tools });
    requireGroups(groups, id);
    return groups;
  };
}

/** What plain sampling produced for a batch. */
interface Sampled {
  /** Groups sampled without help, over all rounds. */
  readonly unaided: RolloutGroup[];
  rounds: number;
}

/** Samples and rewards requests; each call is a round. */
function plainSampling({ engine, step, journal, reward, prompts }: BatchTools, sampled: Sampled): RollOut {
  const groupSteps = new GroupRounds(step);
  return async (requests) => {
    sampled.rounds++;
    const greedy = await greedyRewards(engine, step, journal, reward, requests);
    const { completions, places } = await timed(journal, 'rollout', () =>
      sampleRequests(engine, step, journal, requests, engine.generator.takesUpcoming && prompts.upcoming()),
    );
    journal.state.tokens += sampledTokens(completions);
    const groups = await timed(journal, 'verify', async () => {
      const rewarded = await reward(requests, completions);
      const marked = markOffPolicy(step, withVersion(rewarded, engine.generator.weightsVersion));
      const compared = marked.map((group, i) =>
        greedy[i] === undefined ? group : { ...group, greedyReward: greedy[i] },
      );
      return groupSteps.apply(compared);
    });
    const isAsSampled = step.methods.groupSteps.length === 0;
    const now = places === undefined || isAsSampled ? places : placesAfter(groups, completions, places);
    if (now !== undefined) await timed(journal, 'rollout', () => keepForward(engine, step, groups, now));
    sampled.unaided.push(...groups.filter((_, i) => isPlain(requests[i], 'aids')));
    return groups;
  };
}

function withVersion(groups: readonly RolloutGroup[], weightsVersion: number): readonly RolloutGroup[] {
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => ({ ...rollout, weightsVersion })),
  }));
}

/** Keeps the forward pass of the groups that the update will use, if it can reuse it. */
async function keepForward(
  { policy }: Engine,
  { methods }: Step,
  groups: readonly RolloutGroup[],
  places: readonly RolloutRows[],
): Promise<void> {
  const dropsDead = methods.rolloutStrategies.some(({ part }) => part.dropsDead);
  const acting = groups.flatMap((group, i) => {
    const isUsed = dropsDead ? !group.dead : actsInUpdate(methods, group);
    return isUsed ? [{ group, place: places[i] as RolloutRows }] : [];
  });
  await policy.keep(
    acting.flatMap(({ group }) => tokenGroups(group)), // sampled plainly, it has one prompt
    acting.map(({ place }) => place),
  );
}

/** What the policy has room for. */
function limitsOf({ tasks, policy }: Engine, step: Step): Parameters<typeof validateGroups>[2] {
  return {
    vocabSize: tasks.codec.vocabSize,
    samples: step.stage.batch.numGenerations,
    context: policy.capacity.context,
    batch: microBatchCapacity(policy, step),
    completions: policy.capacity.completions,
    select: (all) => selectedByStrategies(step, all),
    promptTokens: (item: TaskItem) => tasks.promptTokens(item),
  };
}
