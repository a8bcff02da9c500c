/** What every config may name: the usual methods, rewards and three tasks. */
import type { Registries } from './config/registries.ts';
import { CORE_TASKS } from './data/core_tasks.ts';
import { CORE_METHODS } from './methods/usual_methods.ts';
import { CORE_REWARDS } from './rewards/usual_rewards.ts';

export const CORE: Registries = { methods: CORE_METHODS, tasks: CORE_TASKS, rewards: CORE_REWARDS };
