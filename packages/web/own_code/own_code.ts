/** All that a visitor's code needs of the engine: loaded together, and only where there is some. */
export { checkOwnTask } from './check_own_task.ts';
export { startOwnReward } from './own_reward.ts';
export { startOwnTask } from './own_task.ts';
export { tryOnGroup, tryReward } from './try_reward.ts';
