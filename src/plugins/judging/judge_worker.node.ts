/** A thread in which tasks are judged: loads a task when it is first asked about it, then calls its `verify`. */
import { parentPort } from 'node:worker_threads';
import type { AskedAnswer, Knobs } from '../../data/problem.ts';
import { makeEach, type Repeat, repeatPlainly } from '../../data/repeat.ts';
import type { AnyTaskDefinition } from '../../data/task.ts';
import type { Json } from '../../options/json.ts';
import type { GivenOptions } from '../../options/read.ts';
import type { Verdict } from '../../rewards/verdict.ts';
import type { ModuleReference } from '../../run/opened_config.ts';
import { sendWritesToStandardError } from '../process_guard.node.ts';
import { isOwnError } from '../reward_module.ts';
import { repeatWithin } from '../task_calls.node.ts';

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

/** What the thread says of a question: the verdicts in order, or what failed. */
export type JudgeReply =
  | { readonly verdicts: readonly Verdict[] }
  | { readonly failed: string; readonly code?: string; readonly facts?: Readonly<Record<string, unknown>> };

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
      import('../../data/registered_task.ts'),
      import('../../zoo/library.ts'),
    ]);
    const { tasks } = await zooLibrary.naming(name, JSON.stringify(given));
    return { definition: await loadTask(tasks, name, given), repeat: repeatPlainly };
  }
  const { reference, limitSeconds } = source;
  const { loadTaskDefinition } = await import('../task_module.node.ts');
  return { definition: await loadTaskDefinition(reference, limitSeconds), repeat: repeatWithin(limitSeconds) };
}

async function judge({ source, knobs, answers }: JudgeQuestion): Promise<readonly Verdict[]> {
  const key = JSON.stringify(source);
  const task = loaded.get(key) ?? load(source);
  loaded.set(key, task);
  const { definition, repeat } = await task;
  return makeEach(repeat, answers.length, (i) => {
    const { identity, answer, context } = answers[i] as AskedAnswer<Json>;
    return definition.verify(identity, answer, knobs, context);
  });
}

async function reply(question: JudgeQuestion): Promise<void> {
  const say = (content: JudgeReply): void => parentPort?.postMessage(content);
  try {
    say({ verdicts: await judge(question) });
  } catch (error) {
    if (!isOwnError(error)) return say({ failed: String(error) });
    const { message, code, facts } = error;
    say({ failed: message, code, facts: JSON.parse(JSON.stringify(facts)) as Readonly<Record<string, unknown>> });
  }
}

sendWritesToStandardError();
parentPort?.on('message', reply);
