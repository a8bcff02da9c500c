/** The lists of the core, with what is loaded of the zoo, and the names of all of it. */
import type { Registries } from '../../src/config/registries.ts';
import { CORE } from '../../src/core_registries.ts';
import { DATASET } from '../../src/data/datasets/card.ts';
import type { RegisteredTask } from '../../src/data/registered_task.ts';
import type { DemonstrationMethod, Method } from '../../src/methods/method.ts';
import type { PointMethods } from '../../src/methods/method_list.ts';
import { eachPoint, type MethodPoint } from '../../src/methods/stage.ts';
import type { RewardDefinition } from '../../src/rewards/definition.ts';
import { METHODS, REWARDS, TASKS } from './made/names.ts';
import { OPENED } from './opened_tasks.ts';

/** What is loaded of the zoo. */
export interface Loaded {
  readonly methods: Readonly<Partial<Record<MethodPoint, readonly Method<unknown>[]>>>;
  readonly demonstrations: readonly DemonstrationMethod[];
  readonly tasks: Readonly<Record<string, RegisteredTask>>;
  readonly rewards: Readonly<Record<string, RewardDefinition>>;
}

const names: Registries['methods']['names'] = {
  ...eachPoint((point) => [...CORE.methods.names[point], ...METHODS[point].names]),
  demonstrations: METHODS.demonstrations.names,
};
/** Tasks of the package come before those whose problems come from elsewhere, in lists and pages. */
const { [DATASET]: dataset, ...coreTasks } = CORE.tasks.loaded;
const opened = { ...OPENED, [DATASET]: dataset };
const taskNames = [...Object.keys(coreTasks), ...TASKS.names, ...Object.keys(opened)];
const rewardNames = [...CORE.rewards.names, ...REWARDS.names];

export function registriesWith({ methods, demonstrations, tasks, rewards }: Loaded): Registries {
  const at = eachPoint((point) => [...CORE.methods.at[point], ...(methods[point] ?? [])]) as unknown as PointMethods; // each point has its own
  return {
    methods: { at, demonstrations, names, own: {} },
    tasks: { loaded: { ...coreTasks, ...tasks, ...opened }, names: taskNames },
    rewards: { loaded: { ...CORE.rewards.loaded, ...rewards }, names: rewardNames },
  };
}
