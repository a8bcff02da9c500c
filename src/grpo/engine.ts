/** What samples, scores and judges: the models of a run, the tasks that are asked, and the generator of completions. */

import type { TaskSet } from '../data/task_set.ts';
import type { Policy } from '../model/policy.ts';
import type { Codec } from '../text/codec.ts';
import { type Generator, localGenerator, type MakeGenerator } from './generator.ts';

/** A model, with the codec that its tokens are written in. */
export interface Model {
  readonly policy: Policy;
  readonly codec: Codec;
}

/** The models of a run by name; `policy` is the one that samples and learns. */
export interface Models {
  readonly policy: Model;
  readonly [name: string]: Model;
}

/** The engine as the loop and evaluations use it. `closeEngine` frees it. */
export interface Engine {
  readonly models: Models;
  /** That of `models.policy`. */
  readonly policy: Policy;
  readonly tasks: TaskSet;
  readonly generator: Generator;
  /** Made the generator. */
  readonly makeGenerator: MakeGenerator;
}

/**
 * An engine whose policy learns on this machine.
 * @param weightsVersion  see `Generator`; default: the weights never change
 * @param makeGenerator  default: completions are sampled here too
 */
export function localEngine(
  models: Models,
  tasks: TaskSet,
  weightsVersion: () => number = () => 0,
  makeGenerator: MakeGenerator = localGenerator,
): Engine {
  const { policy } = models.policy;
  return { models, policy, tasks, generator: makeGenerator(policy, weightsVersion), makeGenerator };
}

/** The same engine with other tasks, verifiers or limits around the same codec. */
export function withTasks(engine: Engine, tasks: TaskSet): Engine {
  return { ...engine, tasks };
}

/** Frees the memory of all models, and ends the connections to servers. */
export async function closeEngine({ models, tasks }: Engine): Promise<void> {
  for (const { task } of tasks.shares) task.distant?.close();
  for (const { policy } of Object.values(models)) await policy.close();
}
