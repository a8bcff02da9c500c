/** The policy of a run that is open, asked by a program. */
import type { Engine } from '../../../src/grpo/engine.ts';
import { completionEnd } from '../../../src/grpo/rollout/completion_end.ts';
import { stageOf, type TrainingRun } from '../../../src/grpo/run.ts';
import type { StageConfig } from '../../../src/methods/stage.ts';
import { type Answering, type AskedPolicy, askedPolicy } from './asked_policy.ts';

/**
 * The policy of a run as it is now. Between two steps; `close` does nothing, as the engine is the run's.
 *
 * @example const [answers] = await policyOf(run).generate(['4 1 3']);
 */
export function policyOf(run: Pick<TrainingRun, 'engine' | 'config' | 'journal'>): AskedPolicy {
  return enginePolicy(run.engine, stageOf(run), run.engine.tasks.name, async () => undefined);
}

/** @param stage  says how long answers may become */
export function enginePolicy(...given: Parameters<typeof engineAnswering>): AskedPolicy {
  return askedPolicy(engineAnswering(...given));
}

/** The same, for what asks it token by token. */
export function engineAnswering(
  { policy, tasks }: Pick<Engine, 'policy' | 'tasks'>,
  stage: StageConfig,
  name: string,
  close: () => Promise<void>,
): Answering {
  const end = completionEnd(tasks, stage);
  return { name, policy, codec: tasks.codec, tokensOf: (prompt) => tasks.typedTokens(prompt), end, close };
}
