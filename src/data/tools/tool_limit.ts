/** How many turns of an episode may call tools, as a config says it with TRL's key. */
import { ConfigError } from '../../errors.ts';
import type { Task } from '../task.ts';

export interface ToolLimit {
  /** Most turns with calls; after them one more may answer. Default: what the task says. */
  readonly maxToolCallingIterations?: number | undefined;
}

/** @throws ConfigError where it is given and no task has tools */
export function requireTools(tasks: readonly Pick<Task, 'toolNames'>[], { maxToolCallingIterations }: ToolLimit): void {
  if (maxToolCallingIterations === undefined || tasks.some(({ toolNames = [] }) => toolNames.length > 0)) return;
  const key = 'max_tool_calling_iterations';
  const message = `${key}: ${maxToolCallingIterations} — no task of this run has tools; leave it out.`;
  throw new ConfigError('bad-option', message, { key, value: maxToolCallingIterations });
}
