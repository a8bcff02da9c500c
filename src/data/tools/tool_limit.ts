/** Limits the turns of an episode that call tools, by TRL's key. */
import { ConfigError } from '../../errors.ts';
import type { Task } from '../task.ts';

export interface ToolLimit {
  /** Most turns with calls, after which one more may answer. Default: the task's limit. */
  readonly maxToolCallingIterations?: number | undefined;
}

/** @throws ConfigError if it is given and no task has tools */
export function requireTools(tasks: readonly Pick<Task, 'toolNames'>[], { maxToolCallingIterations }: ToolLimit): void {
  if (maxToolCallingIterations === undefined || tasks.some(({ toolNames = [] }) => toolNames.length > 0)) return;
  const key = 'max_tool_calling_iterations';
  const message = `${key}: ${maxToolCallingIterations} — no task of this run has tools; leave it out.`;
  throw new ConfigError('bad-option', message, { key, value: maxToolCallingIterations });
}
