/** Every task, by its card. */
import { TASKS } from '../made/tasks.ts';
import { tasksWith } from './tasks_with.ts';

export const ALL_TASKS = tasksWith(TASKS);
