/** Tasks: problems, prompts, verifiers, splits and tokenizers, and everything that the package has of them. */

export { createTask, createTasks, getTaskDefinition, registeredTask, registeredTasks } from '../zoo/api/tasks.ts';
export * from '../zoo/data/index.ts';
