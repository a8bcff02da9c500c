/** Honesty checks: when a batch can teach nothing, say which of the known reasons it is, and what to do. */
import type { GrpoStageConfig } from '../config/stage_config.ts';
import type { Collected } from './collect.ts';
import type { Diagnosis } from './events.ts';
import type { Rollout } from './rollouts.ts';
import type { UpdateResult } from './update.ts';

/** Mean entropy, in nats a token, below which sampling no longer explores. */
const COLLAPSED_ENTROPY = 0.01;

/** What a freshly sampled batch shows. */
export function diagnoseRollouts(stage: GrpoStageConfig, { groups }: Collected): Diagnosis[] {
  const found: Diagnosis[] = [];
  const rollouts = groups.flatMap((group) => group.rollouts);
  if (rollouts.every(({ reward }) => reward === null)) found.push(noReward());
  const cut = rollouts.filter(({ finishReason }) => finishReason === 'length').length;
  if (cut === rollouts.length) found.push(truncated(rollouts));
  if (groups.every((group) => group.dead)) found.push(allDead(stage, rollouts));
  const entropy = meanEntropy(rollouts);
  if (entropy < COLLAPSED_ENTROPY) found.push(collapsed(entropy));
  return found;
}

/** What an update shows. */
export function diagnoseUpdate({ gradNorm }: UpdateResult): Diagnosis[] {
  if (gradNorm !== 0) return [];
  const message =
    'the gradient is exactly 0 though there are live groups: every token is masked or clipped. Check ' +
    'mask_truncated_completions, epsilon and num_iterations.';
  return [{ code: 'zero-gradient', message }];
}

function noReward(): Diagnosis {
  const message =
    'no completion has a reward: every reward function gave null for all. Name one in reward_funcs that the task ' +
    'gives, such as accuracy.';
  return { code: 'no-reward', message };
}

function truncated(rollouts: readonly Rollout[]): Diagnosis {
  const longest = Math.max(...rollouts.map(({ tokens }) => tokens.length));
  const message =
    `all ${rollouts.length} completions were cut at ${longest} tokens; EOS was never sampled. Raise ` +
    'max_completion_length, or warm up with an sft stage so that the policy learns to end.';
  return { code: 'no-eos', message };
}

function allDead(stage: GrpoStageConfig, rollouts: readonly Rollout[]): Diagnosis {
  const reward = rollouts[0]?.reward;
  const same = rollouts.every((rollout) => rollout.reward === reward);
  const what = same ? `every reward is ${reward}` : 'within each group all rewards are equal';
  const remedy =
    same && reward === 0
      ? 'the policy never solves a problem: use an easier task, a longer sft stage, a denser reward, or more num_generations'
      : 'there is nothing left to tell apart: use a harder task, a higher temperature, or more num_generations';
  return {
    code: 'all-dead',
    message: `all groups are dead (${what}), so no optimizer step was taken. ${remedy} (now ${stage.numGenerations}).`,
  };
}

function collapsed(entropy: number): Diagnosis {
  const message =
    `entropy has collapsed to ${entropy.toFixed(4)} nats a token: the policy always samples the same answer. Raise ` +
    'entropy_coef or temperature, or lower learning_rate.';
  return { code: 'entropy-collapse', message };
}

function meanEntropy(rollouts: readonly Rollout[]): number {
  let sum = 0;
  let tokens = 0;
  for (const { entropies } of rollouts) {
    for (const entropy of entropies) sum += entropy;
    tokens += entropies.length;
  }
  return sum / Math.max(1, tokens);
}
