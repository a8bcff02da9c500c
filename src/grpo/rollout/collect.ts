/**
 * Collects groups: draws prompts, samples their completions, verifies and rewards them.
 *
 * Plain sampling is the last link of the stage's chain of strategies: refill is one in front of it.
 */
import type { TaskItem } from '../../data/task.ts';
import type { StepContext } from '../../methods/method.ts';
import type { GroupRequest, RollOut, RolloutTools } from '../../methods/points.ts';
import type { Collected, Rollout, RolloutGroup } from '../../methods/records.ts';
import type { GrpoStageConfig } from '../../methods/stage.ts';
import type { Completion } from '../../model/sampling/generation.ts';
import type { RolloutRows } from '../../model/sampling/kept_rollouts.ts';
import { rewardLabel } from '../../rewards/module_file.ts';
import { combineRewards, type RewardBatch, scoreRewards } from '../../rewards/reward_function.ts';
import { TOKEN } from '../../token_kinds.ts';
import type { TrainingRun } from '../run.ts';
import { takeBackOnFailure, timed } from '../run.ts';
import type { StepScope } from '../step_scope.ts';
import { actsInUpdate, selectedByStrategies, tokenGroups } from '../update/credit.ts';
import { microBatchCapacity } from '../update/update.ts';
import { CallContexts } from './call_contexts.ts';
import { answeredItems, judgedCompletions, rewardBatch, sampledTokens } from './complete.ts';
import { Exclusions, rewardFailed } from './exclusions.ts';
import { greedyRewards } from './greedy_rewards.ts';
import { GroupRounds, placesAfter, regrouped } from './group_steps.ts';
import { judgedBy, pastKinds, type Rewarder } from './kinds.ts';
import { openPrompts } from './prompts.ts';
import { rolloutTools } from './rollout_tools.ts';
import { sampleRequests, temperatureFactor } from './sample_requests.ts';
import { requireGroups, requireSound } from './sound_groups.ts';

/**
 * The groups of a generation batch: those of `promptsPerStep` prompts, and what the stage's strategies make of them.
 *
 * @throws PluginError where a reward function fails; the run is then at rest, as before the batch
 */
export async function collectGroups(run: TrainingRun, stage: GrpoStageConfig, scope: StepScope): Promise<Collected> {
  return takeBackOnFailure(run, async () => {
    const first = run.state.itemsDrawn;
    let rounds = 0;
    const excluded = new Exclusions();
    const steps = new GroupRounds(scope);
    run.policy.forgetKept();
    const reward = judgedBy(run, (requests, completions) => score(run, stage, scope, excluded, requests, completions));
    const aside: RolloutGroup[] = [];
    const unaided: RolloutGroup[] = [];
    const plain: RollOut = async (requests) => {
      rounds++;
      const groups = await rollOutPlainly(run, stage, scope, steps, reward, requests);
      unaided.push(...groups.filter((_, i) => isUnaided(requests[i])));
      return groups;
    };
    const prompts = openPrompts(run, stage, scope);
    const { draw } = prompts;
    const rollOut = scope.methods.rolloutStrategies.reduceRight<RollOut>((next, { id, part }) => {
      const contexts = new CallContexts(scope, id);
      const tools: Omit<RolloutTools, keyof StepContext> = {
        ...rolloutTools(run, stage, (item, completions) =>
          reward([{ item, samples: completions.length }], [completions]),
        ),
        draw,
        regroup: (group, rollouts) => regrouped(scope, group, rollouts),
      };
      const strategy: RollOut = async (requests) => {
        const given = await part.rollOut(requests, next, { ...contexts.next(requests.length), ...tools });
        requireGroups(given, id);
        return given;
      };
      return pastKinds(strategy, next, aside);
    }, plain);
    const solved = await rollOut(await draw(stage.batch.promptsPerStep));
    const groups = [...solved, ...aside];
    const strategies = scope.methods.rolloutStrategies.map(({ id }) => id);
    const limits = {
      vocabSize: run.tasks.codec.vocabSize,
      samples: stage.batch.numGenerations,
      context: run.policy.capacity.context,
      batch: microBatchCapacity(run, stage, scope),
      completions: run.policy.capacity.completions,
      select: (all: readonly RolloutGroup[]) => selectedByStrategies(scope, all),
      promptTokens: (item: TaskItem) => run.tasks.promptTokens(item),
    };
    if (strategies.length > 0) requireSound(groups, strategies, limits);
    excluded.requireFew();
    return {
      groups,
      unaided,
      rounds,
      ...(excluded.count > 0 && { excluded: { count: excluded.count, reasons: excluded.reasons } }),
      ...(run.tasks.isOverlong && { dropped: run.state.itemsDrawn - first - prompts.taken }),
    };
  });
}

/** Whether a problem is asked as it stands, with nothing put before or into its completions. */
function isUnaided({ prompt, prefixes, kind }: GroupRequest): boolean {
  return prompt === undefined && prefixes === undefined && kind === undefined;
}

async function rollOutPlainly(
  run: TrainingRun,
  stage: GrpoStageConfig,
  scope: StepScope,
  steps: GroupRounds,
  reward: Rewarder,
  requests: readonly GroupRequest[],
): Promise<readonly RolloutGroup[]> {
  const greedy = await greedyRewards(run, stage, scope, reward, requests);
  const { completions, places } = await timed(run, 'rollout', () => sampleRequests(run, stage, scope, requests));
  run.state.tokens += sampledTokens(completions);
  const groups = await timed(run, 'verify', async () => {
    const sampled = offPolicyWhereHeated(scope, await reward(requests, completions));
    const compared = sampled.map((group, i) =>
      greedy[i] === undefined ? group : { ...group, greedyReward: greedy[i] },
    );
    return steps.apply(compared);
  });
  const isAsSampled = scope.methods.groupSteps.length === 0;
  const now = places === undefined || isAsSampled ? places : placesAfter(groups, completions, places);
  if (now !== undefined) await timed(run, 'rollout', () => keepForward(run, scope, groups, now));
  return groups;
}

/** What token controls have sampled at another temperature than a completion's own is off-policy. */
function offPolicyWhereHeated(scope: StepScope, groups: readonly RolloutGroup[]): readonly RolloutGroup[] {
  const factor = temperatureFactor(scope);
  if (factor === undefined) return groups;
  const isHeated = ({ tokens, labels }: Rollout): boolean =>
    tokens.some((_, t) => labels?.[t] !== TOKEN.given && factor(t) !== 1);
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => (isHeated(rollout) ? { ...rollout, isOffPolicy: true } : rollout)),
  }));
}

/** Keeps the forward pass of the groups that the update will use, where the update reads it. */
async function keepForward(
  run: TrainingRun,
  { methods }: StepScope,
  groups: readonly RolloutGroup[],
  places: readonly RolloutRows[],
): Promise<void> {
  const dropsDead = methods.rolloutStrategies.some(({ part }) => part.dropsDead);
  const acting = groups.flatMap((group, i) => {
    const used = dropsDead ? !group.dead : actsInUpdate(methods, group);
    return used ? [{ group, place: places[i] as RolloutRows }] : [];
  });
  await run.policy.keep(
    acting.flatMap(({ group }) => tokenGroups(group)), // sampled plainly, it has one prompt
    acting.map(({ place }) => place),
  );
}

async function score(
  run: TrainingRun,
  stage: GrpoStageConfig,
  scope: StepScope,
  excluded: Exclusions,
  requests: readonly GroupRequest[],
  completions: readonly (readonly Completion[])[],
): Promise<RolloutGroup[]> {
  const items = requests.map(({ item }) => item);
  const { steps, feedback } = scope.methods.needs;
  const verified = await judgedCompletions(run.tasks, items, completions, {
    ...(steps.length > 0 && { wantsSteps: true }),
    ...(feedback.isWanted && { wantsFeedback: true }),
  });
  const answered = answeredItems(items, verified);
  const batch: RewardBatch = {
    ...rewardBatch(answered, { step: run.state.step, progress: run.state.step / stage.optimizer.maxSteps }),
    judge: (row, completion) => run.tasks.verify(answered[row].item, completion, { finishReason: 'eos' }),
  };
  const weighted = run.rewards[run.state.stageIndex] ?? [];
  const { rewards: parts, failures } = await scoreRewards(
    weighted.map(({ reward }) => reward),
    batch,
  );
  // Trained on without it, the policy would learn something that nobody asked for.
  if (failures.length > 0 && stage.rewardOnError !== 'exclude') throw rewardFailed(failures);
  const out = excluded.add(failures, batch.completions.length);
  const totals = combineRewards(
    parts,
    weighted.map(({ weight }) => weight),
    stage.rewards.map((reward) => stage.rewardGate?.[rewardLabel(reward)]),
  );
  const isShaped = stage.methods.groupSteps.length > 0;
  let next = 0;
  return requests.map(({ item, prompt, origin, temperatures }, i): RolloutGroup => {
    const rollouts = (verified[i] ?? []).map((completion, place): Rollout => {
      const at = next++;
      const isOut = out.has(at);
      const temperature = temperatures?.[place] ?? stage.sampling.temperature;
      const given = {
        rewardParts: parts.map((values) => (isOut ? null : (values[at] ?? null))),
        reward: isOut ? null : (totals[at] ?? null),
      };
      return {
        ...completion,
        ...given,
        ...(isOut && { inLoss: false }),
        ...(isShaped && { given }),
        ...(origin !== undefined && { origin }),
        ...(prompt !== undefined && { prompt }),
        ...(temperature !== stage.sampling.temperature && { isOffPolicy: true }),
      };
    });
    return { item, prompt: run.tasks.promptTokens(item), rollouts, dead: false };
  });
}
