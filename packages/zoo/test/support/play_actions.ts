/** Episodes of an environment whose actions a test writes. */
import type { EpisodeStep } from '../../../../src/data/environment.ts';
import { type AnyEnvironment, bindEnvironment } from '../../../../src/data/play.ts';
import type { TaskItem } from '../../../../src/data/problem.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { Knobs, TaskDefinition } from '../../data/index.ts';

/** What each action led to, up to the one that ended the episode. */
export function playActions<I extends Json, K extends Knobs>(
  definition: TaskDefinition<I, K>,
  identity: I,
  knobs: K,
  actions: readonly string[],
): EpisodeStep[] {
  const bound = bindEnvironment(definition.environment as AnyEnvironment, definition.name, knobs); // it is played in turns
  const item = { identity, key: definition.key(identity) } as unknown as TaskItem; // an environment reads nothing else of it
  const steps: EpisodeStep[] = [];
  let at = bound.start(item, 'test');
  for (const action of actions) {
    const step = bound.step(item, at, action, 'test', { finishReason: 'eos', wantsStates: true });
    steps.push(step);
    if (step.verdict !== undefined) break;
    at = step.next;
  }
  return steps;
}

/** What the policy reads after each action; the score and the reason where the episode has ended. */
export function answersTo<I extends Json, K extends Knobs>(
  definition: TaskDefinition<I, K>,
  identity: I,
  knobs: K,
  actions: readonly string[],
): string[] {
  return playActions(definition, identity, knobs, actions).map(({ observation = '', verdict }) =>
    verdict === undefined ? observation : `${verdict.score}: ${verdict.reason}`,
  );
}
