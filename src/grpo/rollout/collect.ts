/**
 * Collects groups: draws prompts, samples their completions, verifies and rewards them.
 *
 * Plain sampling is the last link of the stage's chain of strategies: refill is one before it.
 */
import type { TaskItem } from '../../data/task.ts';
import { isQuantised } from '../../methods/chosen.ts';
import type { StepContext } from '../../methods/method.ts';
import type { GroupRequest, RollOut, RolloutTools } from '../../methods/points.ts';
import type { Collected, RolloutGroup } from '../../methods/records.ts';
import type { RolloutRows } from '../../model/sampling/kept_rollouts.ts';
import { TOKEN } from '../../token_kinds.ts';
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
import { sampleRequests, temperatureFactor } from './sample_requests.ts';
import { requireGroups, validateGroups } from './validate_groups.ts';

/**
 * The groups of a generation batch: those of `promptsPerStep` prompts, and what the stage's strategies make of them.
 *
 * @throws PluginError where a reward function fails; the run is then at rest, as before the batch
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
    const plain = new PlainSampling({ engine, step, journal, reward, prompts });
    const otherKinds: RolloutGroup[] = [];
    const rollOut = rolloutStrategies.reduceRight<RollOut>(
      (next, strategy) =>
        bypassOtherKinds(strategyBefore(next, strategy, { engine, step, journal, reward, prompts }), next, otherKinds),
      (requests) => plain.rollOut(requests),
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
      unaided: plain.unaided,
      rounds: plain.rounds,
      ...(excluded.count > 0 && { excluded: { count: excluded.count, reasons: excluded.reasons } }),
      ...(means && { logged: means }),
      ...(tasks.isOverlong && { dropped: journal.state.itemsDrawn - firstItem - prompts.taken }),
    };
  });
}

/** What the strategies of a batch share. */
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

/** Samples requests as the policy answers them, round by round. */
class PlainSampling {
  /** Groups of problems that were asked without help, over all rounds. */
  readonly unaided: RolloutGroup[] = [];
  rounds = 0;
  readonly #engine: Engine;
  readonly #step: Step;
  readonly #journal: Journal;
  readonly #reward: Rewarder;
  readonly #prompts: Prompts;
  readonly #groupSteps: GroupRounds;

  constructor({ engine, step, journal, reward, prompts }: BatchTools) {
    this.#engine = engine;
    this.#step = step;
    this.#journal = journal;
    this.#reward = reward;
    this.#prompts = prompts;
    this.#groupSteps = new GroupRounds(step);
  }

  async rollOut(requests: readonly GroupRequest[]): Promise<readonly RolloutGroup[]> {
    this.rounds++;
    const groups = await this.#round(requests);
    this.unaided.push(...groups.filter((_, i) => isUnaided(requests[i])));
    return groups;
  }

  async #round(requests: readonly GroupRequest[]): Promise<readonly RolloutGroup[]> {
    const [engine, step, journal] = [this.#engine, this.#step, this.#journal];
    const greedy = await greedyRewards(engine, step, journal, this.#reward, requests);
    const { completions, places } = await timed(journal, 'rollout', () =>
      sampleRequests(engine, step, journal, requests, engine.generator.takesUpcoming && this.#prompts.upcoming()),
    );
    journal.state.tokens += sampledTokens(completions);
    const groups = await timed(journal, 'verify', async () => {
      const rewarded = await this.#reward(requests, completions);
      const sampled = offPolicyWhereOther(step, withVersion(rewarded, engine.generator.weightsVersion));
      const compared = sampled.map((group, i) =>
        greedy[i] === undefined ? group : { ...group, greedyReward: greedy[i] },
      );
      return this.#groupSteps.apply(compared);
    });
    const isAsSampled = step.methods.groupSteps.length === 0;
    const now = places === undefined || isAsSampled ? places : placesAfter(groups, completions, places);
    if (now !== undefined) await timed(journal, 'rollout', () => keepForward(engine, step, groups, now));
    return groups;
  }
}

/** Whether a problem is asked as it is, to the end, with nothing put before or into its completions. */
function isUnaided({ prompt, prefixes, expertShare = 0, kind, turnTokens }: GroupRequest): boolean {
  const isWhole = prefixes === undefined && turnTokens === undefined;
  return prompt === undefined && isWhole && expertShare === 0 && kind === undefined;
}

function withVersion(groups: readonly RolloutGroup[], weightsVersion: number): readonly RolloutGroup[] {
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => ({ ...rollout, weightsVersion })),
  }));
}

/** Off-policy is what token controls have sampled at another temperature than a completion's own, and all that a copy has. */
function offPolicyWhereOther(step: Step, groups: readonly RolloutGroup[]): readonly RolloutGroup[] {
  const factor = temperatureFactor(step);
  const isCopys = isQuantised(step.stage);
  if (factor === undefined && !isCopys) return groups;
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => {
      const { tokens, labels } = rollout;
      const isHeated = tokens.some((_, t) => labels?.[t] !== TOKEN.given && factor !== undefined && factor(t) !== 1);
      return isHeated || isCopys ? { ...rollout, isOffPolicy: true } : rollout;
    }),
  }));
}

/** Keeps the forward pass of the groups that the update will use, where the update reads it. */
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
