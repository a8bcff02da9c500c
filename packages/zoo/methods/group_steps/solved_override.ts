import { ConfigError } from '../../../../src/errors.ts';
import type { GrpoStageConfig, RewardConfig } from '../../../../src/methods/stage.ts';
import { rewardLabel } from '../../../../src/rewards/module_file.ts';
import { makeReward } from '../../../../src/rewards/reward_list.ts';
import { USUAL_REWARDS } from '../../../../src/rewards/usual_rewards.ts';
import { REWARDS } from '../../made/rewards.ts';
import { type GroupStep, keys, method, number, optional, type Rollout, text } from '../kit.ts';
import { mapRollouts, readerOf, unknownReward } from '../support/rewards/reward_parts.ts';

/**
 * So style and format never make up for a wrong answer. The paper pays 2.1, where the rest comes to 1.1 at most.
 */
export const solvedOverride = method({
  id: 'solved-override',
  about: {
    does: 'Pays one fixed reward for a solved problem, more than for any other.',
    formula: 'R = solved_reward where solved, else the weighted sum; solved_reward > its largest value',
    source: '2505.11849',
    certainty: 'paper',
  },
  options: keys({
    solvedReward: number({ example: 2.1 }).describe('Reward of a solved problem: more than any other can reach.'),
    solvedBy: optional(text('accuracy')).describe(
      'Reward that is 1 where the problem is solved. Default: the verdict says it.',
    ),
  }),
  conflict(written, _, stage) {
    const { solved_by: by = 'accuracy', solved_reward: solved } = written;
    const unknown = written.solved_by === undefined ? undefined : unknownReward(stage, by);
    if (unknown !== undefined || typeof solved !== 'number') return unknown;
    const most = mostWithout(stage, String(by));
    if (most === undefined || solved > most) return undefined;
    return `the other rewards come to ${most} without a solution, and solved_reward is ${solved}; set it above ${most}`;
  },
  pays: { does: 'changes' },
  readsVerdicts: ({ solvedBy }) => solvedBy === undefined,
  create: ({ solvedReward, solvedBy }, stage): GroupStep => {
    const by = solvedBy === undefined ? undefined : readerOf(stage, solvedBy);
    const isSolved = (rollout: Rollout): boolean => (by === undefined ? rollout.verdict.score : by(rollout)) === 1;
    return {
      scope: 'group',
      apply(groups, { step }) {
        for (const { item, rollouts } of groups) {
          const above = rollouts.find((one) => !isSolved(one) && one.reward !== null && one.reward >= solvedReward);
          if (above !== undefined) throw notLargest(above, item.prompt, solvedReward, step);
        }
        return mapRollouts(groups, (rollout) => (isSolved(rollout) ? { ...rollout, reward: solvedReward } : rollout));
      },
    };
  },
});

/** Largest weighted sum of the rewards but for the one that says what is solved; undefined where a range is not known. */
function mostWithout({ rewards }: GrpoStageConfig, solvedBy: string): number | undefined {
  const others = rewards.filter((reward) => reward.weight !== 0 && rewardLabel(reward) !== solvedBy);
  return others.reduce<number | undefined>((sum, reward) => {
    const range = rangeOf(reward);
    if (sum === undefined || range === undefined) return undefined;
    return sum + Math.max(...range.map((value) => reward.weight * value));
  }, 0);
}

/** The range of a reward of the package; what a caller's own pays is seen while it trains. */
function rangeOf({ name, weight: _, ...options }: RewardConfig): readonly [number, number] | undefined {
  const of = [USUAL_REWARDS, REWARDS].find((definitions) => Object.hasOwn(definitions, name));
  if (of === undefined) return undefined;
  try {
    return makeReward(name, of[name], options).range;
  } catch (error) {
    if (error instanceof ConfigError) return undefined; // it is broken, and reported already
    throw error;
  }
}

function notLargest({ reward, text: answer }: Rollout, prompt: string, solved: number, step: number): ConfigError {
  const seen = `${JSON.stringify(prompt)} → ${JSON.stringify(answer)}`;
  return new ConfigError(
    'solved-reward',
    `solved-override.solved_reward: ${solved} — ${seen} has ${reward} in step ${step + 1}, and is not solved; set it above every reward of a wrong answer.`,
    { solved, reward, step },
  );
}
