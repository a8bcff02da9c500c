/** A strategy by itself, in front of a policy that answers as a test says. */
import type { GroupRequest, RolloutTools } from '../../../../src/methods/points.ts';
import type { Rollout, RolloutGroup } from '../../../../src/methods/records.ts';
import { createMethods } from '../../../../test/support/everything.ts';
import { groupOf } from '../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../test/support/steps.ts';

/** What a strategy has asked, logged and given. */
export interface Asked {
  readonly rounds: readonly (readonly GroupRequest[])[];
  readonly logged: Readonly<Record<string, number>>;
  readonly groups: readonly RolloutGroup[];
}

/** @param answer  the completions of a request of a round */
export async function askedOf(
  lines: string,
  samples: number,
  answer: (request: GroupRequest, round: number, place: number) => readonly Rollout[],
  known: Partial<RolloutTools> = {},
): Promise<Asked> {
  const stage = stageOf(lines);
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const rounds: (readonly GroupRequest[])[] = [];
  const logged: Record<string, number> = {};
  const next = async (requests: readonly GroupRequest[]) => {
    rounds.push(requests);
    return requests.map((request, place) => groupOf(answer(request, rounds.length - 1, place)));
  };
  const tools = rolloutTools(stage, { metric: metricsInto(logged), ...known });
  const groups = await part.rollOut([{ item: groupOf([]).item, samples }], next, tools);
  return { rounds, logged, groups };
}
