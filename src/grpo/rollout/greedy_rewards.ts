/** What the greedy completion of each problem is paid, where an estimator compares with it (`Needs.greedy`). */
import type { GroupRequest } from '../../methods/points.ts';
import type { RolloutGroup } from '../../methods/records.ts';
import type { GrpoStageConfig } from '../../methods/stage.ts';
import type { TrainingRun } from '../run.ts';
import { timed } from '../run.ts';
import type { StepScope } from '../step_scope.ts';
import { sampledTokens } from './complete.ts';
import type { Rewarder } from './kinds.ts';
import { sampleRequests } from './sample_requests.ts';

/** [requests] of those that solve, under the prompt that they are sampled under; undefined where nothing asks for it. */
export async function greedyRewards(
  run: TrainingRun,
  stage: GrpoStageConfig,
  scope: StepScope,
  reward: Rewarder,
  requests: readonly GroupRequest[],
): Promise<readonly RolloutGroup['greedyReward'][]> {
  if (!scope.methods.needs.greedy) return [];
  const places = requests.flatMap(({ kind }, i) => (kind === undefined ? [i] : []));
  const asked = places.map((i): GroupRequest => {
    const { item, prompt, prefixes } = requests[i];
    return {
      item,
      samples: 1,
      temperatures: [0],
      ...(prompt && { prompt }),
      ...(prefixes && { prefixes: prefixes.slice(0, 1) }),
    };
  });
  const { completions } = await timed(run, 'rollout', () => sampleRequests(run, stage, scope, asked));
  run.state.tokens += sampledTokens(completions);
  const groups = await timed(run, 'verify', () => reward(asked, completions));
  const found: RolloutGroup['greedyReward'][] = requests.map(() => undefined);
  places.forEach((i, k) => {
    found[i] = groups[k].rollouts[0].reward;
  });
  return found;
}
