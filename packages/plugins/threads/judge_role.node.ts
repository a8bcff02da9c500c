/** Verdicts in a thread: a task is loaded when it is first asked about, then its `verify` is called. */
import type { AskedAnswer, Knobs } from '../../../src/data/problem.ts';
import { makeEach, type Repeat, repeatPlainly } from '../../../src/data/repeat.ts';
import type { AnyTaskDefinition } from '../../../src/data/task.ts';
import type { Json } from '../../../src/options/json.ts';
import type { GivenOptions } from '../../../src/options/read.ts';
import type { ModuleReference } from '../../../src/run/opened_config.ts';
import type { SandboxReply } from '../../zoo/rewards/sandbox/sandbox.ts';

/** Where a task is loaded from: the package, or a file of the user's. */
export type TaskSource =
  | { readonly name: string; readonly given: GivenOptions }
  | { readonly reference: ModuleReference; readonly limitSeconds: number };

/** Some answers to judge. */
export interface JudgeQuestion {
  readonly source: TaskSource;
  readonly knobs: Knobs;
  readonly answers: readonly AskedAnswer<Json>[];
}

interface Loaded {
  readonly definition: AnyTaskDefinition;
  readonly repeat: Repeat;
}

const loaded = new Map<string, Promise<Loaded>>();

async function load(source: TaskSource): Promise<Loaded> {
  // Loaded when they are needed: most runs need one of the two.
  if ('name' in source) {
    const { name, given } = source;
    const [{ loadTask }, { zooLibrary }] = await Promise.all([
      import('../../../src/data/registered_task.ts'),
      import('../../zoo/library.ts'),
    ]);
    const { tasks } = await zooLibrary.naming(name, JSON.stringify(given));
    return { definition: await loadTask(tasks, name, given), repeat: repeatPlainly };
  }
  const { reference, limitSeconds } = source;
  const [{ loadOwnTask }, { repeatWithin }] = await Promise.all([
    import('../own_exports.node.ts'),
    import('../calls.node.ts'),
  ]);
  return { definition: await loadOwnTask(reference, limitSeconds), repeat: repeatWithin(limitSeconds) };
}

/** The verdicts, in the order of the answers. */
export async function judge({ source, knobs, answers }: JudgeQuestion): Promise<SandboxReply> {
  const key = JSON.stringify(source);
  const task = loaded.get(key) ?? load(source);
  loaded.set(key, task);
  const { definition, repeat } = await task;
  const values = makeEach(repeat, answers.length, (i) => {
    const { identity, answer, context } = answers[i];
    return definition.verify(identity, answer, knobs, context);
  });
  return { type: 'scores', values };
}
