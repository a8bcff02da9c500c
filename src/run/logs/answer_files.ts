/**
 * Where a run directory keeps servers' answers: `answers/<number of the task>/`, and for rewards
 * `answers/reward-<stage>-<place>/`, of the first place that names it.
 */

import type { TrainingRun } from '../../grpo/run.ts';
import type { AnswerFiles } from '../../http/servers.ts';
import type { DistantReward } from '../../rewards/reward_function.ts';
import type { Store } from '../store/store.ts';

const FOLDER = 'answers';

/** The parts of a run that may ask servers. */
type Answered = Pick<TrainingRun, 'engine' | 'rewards'>;

/** @param owner  number of the task in the config, from 0, or the folder of a reward */
export function answerFiles(store: Store, owner: number | string): AnswerFiles {
  const folder = `${FOLDER}/${owner}`;
  return {
    read: (name) => store.read(`${folder}/${name}`),
    append: (name, text) => store.append(`${folder}/${name}`, text),
    list: () => store.list(folder),
    remove: (name) => store.remove(`${folder}/${name}`),
  };
}

/** Records all servers' answers in the run directory, and replays those that are there. */
export async function recordAnswers({ engine, rewards }: Answered, store: Store): Promise<void> {
  for (const [index, { task }] of engine.tasks.shares.entries())
    await task.distant?.recordIn(answerFiles(store, index));
  for (const [folder, reward] of distantRewards(rewards)) {
    await reward.recordIn(answerFiles(store, folder), `${FOLDER}/${folder}`);
  }
}

/** Removes answers that no kept checkpoint needs. @param keep  checkpoints that are kept */
export async function pruneAnswers({ engine, rewards }: Answered, keep: number): Promise<void> {
  const { weightsVersion } = engine.generator;
  for (const { task } of engine.tasks.shares) await task.distant?.checkpointed(weightsVersion, keep);
  for (const reward of distantRewards(rewards).values()) await reward.checkpointed(weightsVersion, keep);
}

/** Remote rewards by folder; a reward of several stages once. */
function distantRewards(stages: Answered['rewards']): ReadonlyMap<string, DistantReward> {
  const folders = new Map<DistantReward, string>();
  for (const [stage, rewards] of stages.entries()) {
    for (const [place, { reward }] of rewards.entries()) {
      if (reward.distant && !folders.has(reward.distant)) folders.set(reward.distant, `reward-${stage}-${place}`);
    }
  }
  return new Map([...folders].map(([reward, folder]) => [folder, reward]));
}
