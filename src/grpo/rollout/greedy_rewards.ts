/** Rewards of each problem's greedy completion, for estimators that compare with it (`greedyRewards`). */

import type { GroupRequest } from '../../methods/points.ts';
import type { RolloutGroup } from '../../methods/records.ts';
import { greedyRewards as greedyUse } from '../../methods/uses/greedy_rewards.ts';
import type { Engine } from '../engine.ts';
import { type Journal, timed } from '../journal.ts';
import type { Step } from '../step.ts';
import { sampledTokens } from './complete.ts';
import type { Rewarder } from './kinds.ts';
import { sampleRequests } from './sample_requests.ts';

/** [requests] rewards of the greedy completions, each under its request's prompt; undefined if no estimator asks. */
export async function greedyRewards(
  engine: Engine,
  step: Step,
  journal: Journal,
  reward: Rewarder,
  requests: readonly GroupRequest[],
): Promise<readonly RolloutGroup['greedyReward'][]> {
  if (!step.methods.uses.has(greedyUse)) return [];
  const places = requests.flatMap(({ kind }, i) => (kind === undefined ? [i] : []));
  const greedy = places.map((i): GroupRequest => {
    const { item, prompt, prefixes } = requests[i];
    return {
      item,
      samples: 1,
      temperatures: [0],
      ...(prompt && { prompt }),
      ...(prefixes && { prefixes: prefixes.slice(0, 1) }),
    };
  });
  const { completions } = await timed(journal, 'rollout', () => sampleRequests(engine, step, journal, greedy));
  journal.state.tokens += sampledTokens(completions);
  const groups = await timed(journal, 'verify', () => reward(greedy, completions));
  const rewards: RolloutGroup['greedyReward'][] = requests.map(() => undefined);
  places.forEach((i, k) => {
    rewards[i] = groups[k].rollouts[0].reward;
  });
  return rewards;
}
