/** The tasks of the core, with the cards of the zoo's if they are loaded, and the names of all of them. */
import { CORE_TASKS } from '../../../src/data/core_tasks.ts';
import type { OpenedTask, RegisteredTask, TaskList } from '../../../src/data/registered_task.ts';
import { SESSIONS } from '../data/sessions/name.ts';
import { TASKS } from '../made/names.ts';
import { OPENED } from '../opened_tasks.ts';

const coreTasks = CORE_TASKS.loaded;
/** Tasks of the package come before those whose problems come from elsewhere, in lists and pages. */
const names = [...Object.keys(coreTasks), ...TASKS.names, ...Object.keys(OPENED), SESSIONS];

/** @param sessions  the task of that name, apart since a page that never names it does not load its card */
export function tasksWith(
  loaded: Readonly<Record<string, RegisteredTask>>,
  sessions: Readonly<Record<string, OpenedTask>> = {},
): TaskList {
  return { loaded: { ...coreTasks, ...loaded, ...OPENED, ...sessions }, names };
}
