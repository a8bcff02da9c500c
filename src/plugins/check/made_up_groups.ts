/** Groups of made-up answers with made-up rewards, credit and log-probs: what a user's method is tried on. */
import type { TaskSet } from '../../data/task_set.ts';
import { rngFor } from '../../kernels/philox.ts';
import { Ledger } from '../../methods/ledger.ts';
import type { LossSequence, StepSizes } from '../../methods/loss_points.ts';
import type { CreditedGroup, Rollout, RolloutGroup } from '../../methods/records.ts';
import type { GrpoStageConfig } from '../../methods/stage.ts';
import type { StepContext } from '../../methods/step_context.ts';
import { estimateByGroup, hasEqualRewards } from '../../methods/support/credit/baseline.ts';
import { type AnswerKind, type MadeUpAnswer, madeUpAnswers } from './made_up_answers.ts';

/** What answers are paid; those of a larger group repeat. */
const REWARDS: Readonly<Record<AnswerKind, number>> = { right: 1, wrong: 0.25, empty: 0, random: 0.5, cut: 0.75 };

/**
 * How the rewards of a group are: all sorts of them; the same with one `null`; all equal; none at all. A run has them all:
 * a reward may be null for any completion.
 */
const SORTS = ['mixed', 'one-null', 'equal', 'no-reward'] as const;
type Sort = (typeof SORTS)[number];

/** Groups that are tried, at most: statistics over a batch have a batch, and no start waits. */
const MOST_GROUPS = 16;

/** What a method is tried for: a stage, and problems to ask in it. */
export interface TriedStage {
  readonly stage: GrpoStageConfig;
  readonly tasks: TaskSet;
}

/** Batches as large as those of the stage; between them, groups of every sort. Always the same. */
export function madeUpBatches({ stage, tasks }: TriedStage): readonly (readonly RolloutGroup[])[] {
  const size = Math.min(stage.batch.promptsPerStep, MOST_GROUPS);
  const batches = Math.ceil(SORTS.length / size);
  const answers = madeUpAnswers(tasks, size * batches);
  const groups = Array.from({ length: size * batches }, (_, g) =>
    groupOf(
      answers.filter(({ group }) => group === g),
      SORTS[g % SORTS.length],
      stage,
      tasks,
    ),
  );
  return Array.from({ length: batches }, (_, b) => groups.slice(b * size, (b + 1) * size));
}

function groupOf(answers: readonly MadeUpAnswer[], sort: Sort, stage: GrpoStageConfig, tasks: TaskSet): RolloutGroup {
  const { numGenerations } = stage.batch;
  const rollouts = Array.from({ length: numGenerations }, (_, i) => {
    const isLast = i === numGenerations - 1;
    const { kind, completion } = answers[i % answers.length];
    const reward = {
      mixed: REWARDS[kind],
      'one-null': isLast ? null : REWARDS[kind],
      equal: 0.5,
      'no-reward': null,
    }[sort];
    return { ...completion, ...rewardedWith(reward, stage) } satisfies Rollout;
  });
  const { item } = answers[0];
  return { item, prompt: tasks.promptTokens(item), rollouts, dead: hasEqualRewards({ rollouts }) };
}

/** Every reward function of the stage gives the same, so that their weighted sum is this one. */
function rewardedWith(reward: number | null, { rewards }: GrpoStageConfig): Pick<Rollout, 'reward' | 'rewardParts'> {
  const weights = rewards.reduce((sum, { weight }) => sum + weight, 0);
  const part = reward === null ? null : reward / (weights === 0 ? 1 : weights);
  return { reward, rewardParts: rewards.map(() => part) };
}

/** The same with advantages: rewards without the mean of their group, and 0 in dead groups. */
export function credited(groups: readonly RolloutGroup[]): readonly CreditedGroup[] {
  const estimates = estimateByGroup(groups, (rewards) => {
    const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
    return rewards.map((reward) => reward - mean);
  });
  return groups.map((group, g) => ({ ...group, ...estimates[g] }));
}

/** What a method may know of a step; it always draws the same random numbers. */
export function madeUpContext({ stage, tasks: { codec } }: TriedStage): StepContext {
  return {
    step: 0,
    progress: 0,
    stage,
    rng: rngFor('made up'),
    ledger: new Ledger(),
    vocabularySize: codec.vocabSize,
    tokenText: (id) => codec.tokenText(id),
    metric: () => {},
  };
}

/** The completions of credited groups as a loss sees them after a first step: the policy has moved a little. */
export function madeUpSequences(groups: readonly CreditedGroup[]): readonly LossSequence[] {
  const rng = rngFor('made up sequences');
  return groups.flatMap((group) =>
    group.rollouts.map((rollout, i): LossSequence => {
      const { length } = rollout.tokens;
      const near = (): Float32Array => rollout.logprobs.map((logprob) => Math.min(-0.01, logprob + rng.float() - 0.5));
      return {
        group,
        rollout,
        logprobs: near(),
        oldLogprobs: rollout.logprobs,
        refLogprobs: near(),
        entropies: rollout.entropies,
        advantages: new Float32Array(length).fill(group.advantages[i]),
        weights: new Float64Array(length).fill(1),
        // The second token of each is masked.
        coefficients: Float64Array.from({ length }, (_, t) => (t === 1 ? 0 : 1 / (length * groups.length))),
      };
    }),
  );
}

/** The sizes of a step of these sequences, in one micro-batch. */
export function sizesOf(sequences: readonly LossSequence[], { tasks }: TriedStage): StepSizes {
  const lossTokens = sequences.reduce((sum, { coefficients }) => sum + coefficients.filter((c) => c !== 0).length, 0);
  return {
    completions: sequences.length,
    lossTokens,
    maxCompletionTokens: tasks.maxCompletionTokens,
    microBatches: 1,
    microLossTokens: lossTokens,
  };
}
