/** Remarks on a stage as a whole that no single method could make, mostly that one is missing. */
import { isTruncated, tells } from './chosen.ts';
import type { Member } from './method.ts';
import type { Remark } from './remark.ts';
import { modesOf } from './sampling_modes/modes.ts';
import type { GrpoStageConfig } from './stage.ts';

type StageRule = (stage: GrpoStageConfig, members: readonly Member[]) => Remark | undefined;

/** The gradient is the whole policy's only if samples are weighed by their true probability. */
const uncorrectedTruncation: StageRule = (stage, members) => {
  if (!isTruncated(stage) || tells(members, 'truncation')) return undefined;
  const { topK, topP, minP } = stage.sampling;
  const [key, value] = topP < 1 ? ['top_p', topP] : topK > 0 ? ['top_k', topK] : ['min_p', minP];
  return {
    level: 'warning',
    at: { key: String(key) },
    value,
    text:
      'completions come from a part of the policy and are trained on as if from all of it, so the gradient is biased; ' +
      'set vllm_importance_sampling_correction: true, or sample from the whole policy',
  };
};

/**
 * Three reward levels make a wrong answer cost more than a refused one; dividing by the deviation of two levels removes
 * that.
 */
const scaledTernary: StageRule = ({ rewards }, members) => {
  const isPaid = rewards.some(({ name, weight }) => name === 'ternary' && weight > 0);
  if (!isPaid || !tells(members, 'group-scale')) return undefined;
  return {
    level: 'warning',
    at: { key: 'reward_funcs' },
    value: 'ternary',
    text:
      'divided by the deviation of its group, a wrong answer among refused ones costs what a refused one among right ones ' +
      'does, whatever the three are worth; set scale_rewards: none',
  };
};

/** A mode of sampling that no method weighs. */
const unweighedMode: StageRule = (stage, members) =>
  tells(members, 'weighs-stale') ? undefined : modesOf(stage).find(({ unweighed }) => unweighed)?.unweighed;

/** A group of one has nothing to be compared with. */
const groupOfOne: StageRule = ({ batch: { numGenerations } }, members) => {
  if (numGenerations > 1 || members.some(({ method }) => method.takesSingles)) return undefined;
  const text = 'a group of one has no advantage; use 2 or more (default 8)';
  return { level: 'conflict', at: { key: 'num_generations' }, value: numGenerations, text };
};

export const STAGE_RULES: readonly StageRule[] = [groupOfOne, uncorrectedTruncation, unweighedMode, scaledTernary];
