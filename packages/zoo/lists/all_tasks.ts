/** Every task, by its card. */
import { TASKS } from '../made/tasks.ts';
import { OPENED_SESSIONS } from '../opened_sessions.ts';
import { tasksWith } from './tasks_with.ts';

export const ALL_TASKS = tasksWith(TASKS, OPENED_SESSIONS);
