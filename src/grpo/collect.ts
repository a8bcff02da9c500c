/** Collects groups: draw prompts, sample G completions each, verify them, score them, refill dead groups. */
import type { GrpoStageConfig } from '../config/stage_config.ts';
import type { TaskItem } from '../data/task.ts';
import type { Completion } from '../model/generation.ts';
import { generate } from '../model/generation.ts';
import type { RewardBatch, RewardFailure } from '../rewards/reward_function.ts';
import { combineRewards, scoreRewards } from '../rewards/reward_function.ts';
import { completionLimit } from './capacity.ts';
import type { Rollout, RolloutGroup } from './rollouts.ts';
import { isDead } from './rollouts.ts';
import type { TrainingRun } from './run.ts';
import { samplingKey, timed } from './run.ts';

export interface Collected {
  /** Every group that was drawn, in order. */
  readonly groups: readonly RolloutGroup[];
  /** Rounds of sampling, the first included. */
  readonly rounds: number;
  readonly failures: readonly RewardFailure[];
}

/**
 * `promptsPerStep` groups. With `dynamic_sampling: refill`, dead groups are replaced by groups of further prompts,
 * for at most `max_rounds` more rounds; all drawn groups are returned, dead ones included.
 */
export async function collectGroups(run: TrainingRun, stage: GrpoStageConfig): Promise<Collected> {
  const refills = stage.dynamicSampling.name === 'refill' ? stage.dynamicSampling.maxRounds : 0;
  const groups: RolloutGroup[] = [];
  const failures: RewardFailure[] = [];
  let rounds = 0;
  for (let missing = stage.promptsPerStep; missing > 0 && rounds <= refills; rounds++) {
    const items = drawItems(run, missing);
    const completions = await timed(run, 'rollout', () => sample(run, stage, items));
    const scored = await timed(run, 'verify', () => score(run, stage, items, completions));
    groups.push(...scored.groups);
    failures.push(...scored.failures);
    missing = stage.promptsPerStep - groups.filter((group) => !group.dead).length;
  }
  return { groups, rounds, failures };
}

/** The next `count` items of the training stream. */
export function drawItems(run: TrainingRun, count: number): TaskItem[] {
  return Array.from({ length: count }, () => run.task.trainItem(run.config.seed, run.position.itemsDrawn++));
}

async function sample(run: TrainingRun, stage: GrpoStageConfig, items: readonly TaskItem[]): Promise<Completion[][]> {
  const requests = items.map((item) => ({
    prompt: run.task.promptTokens(item),
    rolloutNumbers: Array.from({ length: stage.numGenerations }, () => run.position.rolloutsDrawn++),
  }));
  return generate(run.policy, requests, {
    sampling: stage,
    samplingKey: samplingKey(run.config.seed, 'rollout'),
    maxCompletionTokens: completionLimit(run.task, stage),
    eosTokenId: run.task.tokenizer.eosTokenId,
    fixedCompletionTokens: run.task.fixedCompletionTokens,
  });
}

/** The text that a verifier reads: ids decoded, the final EOS stripped. */
export function completionText(
  run: Pick<TrainingRun, 'task'>,
  { tokens, finishReason }: Pick<Completion, 'tokens' | 'finishReason'>,
): string {
  return run.task.tokenizer.decode(finishReason === 'eos' ? tokens.subarray(0, tokens.length - 1) : tokens);
}

async function score(
  run: TrainingRun,
  stage: GrpoStageConfig,
  items: readonly TaskItem[],
  completions: readonly (readonly Completion[])[],
): Promise<{ readonly groups: RolloutGroup[]; readonly failures: readonly RewardFailure[] }> {
  const flat = items.flatMap((item, i) => (completions[i] ?? []).map((completion) => ({ item, completion })));
  const texts = flat.map(({ completion }) => completionText(run, completion));
  const verdicts = flat.map(({ item, completion }, i) => run.task.verify(item, texts[i] ?? '', completion));
  const batch: RewardBatch = {
    prompts: flat.map(({ item }) => item.prompt),
    completions: texts,
    completionTokens: flat.map(({ completion }) => completion.tokens),
    items: flat.map(({ item }) => item),
    verdicts,
    finishReasons: flat.map(({ completion }) => completion.finishReason),
    trainerState: { step: run.position.step, progress: run.position.step / stage.maxSteps },
  };
  const weighted = run.rewards[run.position.stageIndex] ?? [];
  const { rewards: parts, failures } = await scoreRewards(
    weighted.map(({ reward }) => reward),
    batch,
  );
  const totals = combineRewards(
    parts,
    weighted.map(({ weight }) => weight),
  );
  let next = 0;
  const groups = items.map((item, i): RolloutGroup => {
    const rollouts = (completions[i] ?? []).map((completion): Rollout => {
      const at = next++;
      return {
        ...completion,
        text: texts[at] as string,
        verdict: verdicts[at] as Rollout['verdict'],
        rewardParts: parts.map((values) => values[at] ?? null),
        reward: totals[at] ?? null,
      };
    });
    return { item, prompt: run.task.promptTokens(item), rollouts, dead: isDead(rollouts.map(({ reward }) => reward)) };
  });
  return { groups, failures };
}
