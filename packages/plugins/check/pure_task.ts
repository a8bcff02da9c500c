/** A user's task asked twice about some problems: a run can be repeated only where each function always gives the same. */
import type { Task, TaskItem } from '../../../src/data/task.ts';
import { PluginError, RlvrError } from '../../../src/errors.ts';

const PROBLEMS = 4;
/** No run's: seeds are whole numbers from 0. */
const SEED = -3;

/** The functions that give the fields of a problem. */
const FUNCTIONS = { identity: 'generate', key: 'key', prompt: 'prompt', answer: 'oracle' } as const;

/** @throws PluginError naming the function that gives something else when it is asked again; what the functions throw */
export function refuseImpure(task: Task, shown: string): void {
  for (let index = 0; index < PROBLEMS; index++) {
    const item = trainItem(task, index);
    if (item === undefined) return;
    const again = task.trainItem(SEED, index);
    const about = ` for problem ${JSON.stringify(item.identity)}`;
    const compare = (part: string, values: readonly unknown[]): void => {
      const [one, other] = values.map((value) => JSON.stringify(value) ?? 'undefined');
      if (one === other) return;
      const what = `gives ${short(one)} once and ${short(other)} when it is asked again${part === 'generate' ? '' : about}`;
      const remedy = 'let it depend on its arguments alone, as no run could be repeated otherwise';
      throw new PluginError('task-failed', `task "${task.name}" (${shown}): ${part} ${what} — ${remedy}.`, { part });
    };
    for (const [field, part] of Object.entries(FUNCTIONS) as [keyof typeof FUNCTIONS, string][]) {
      compare(part, [item[field], again[field]]);
    }
    const twice = (part: string, call: () => unknown): void => compare(part, [call(), call()]);
    twice('demonstration', () => task.demonstration(item, SEED, index));
    if (task.judge !== undefined) continue; // verify may be without a verdict, and judge takes time
    twice('verify', () => {
      const { reason: _, ...decisive } = task.verify(item, item.answer, { finishReason: 'eos' });
      return decisive; // the sentence for people may say how long it took
    });
  }
}

/** Undefined where the task has no problem to give, which is said where one is needed. */
function trainItem(task: Task, index: number): TaskItem | undefined {
  try {
    return task.trainItem(SEED, index);
  } catch (error) {
    if (RlvrError.is(error) && error.code !== 'task-failed') return undefined;
    throw error;
  }
}

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
