/**
 * What a config may name. Every reader of a config is given these lists. Neither this folder nor the loop imports a list that has
 * more than the methods every config can name (`usual_methods.ts`).
 */
import type { TaskList } from '../data/registered_task.ts';
import type { MethodList } from '../methods/method_list.ts';
import type { RewardList } from '../rewards/reward_list.ts';

/** What a config may name. */
export interface Registries {
  readonly methods: MethodList;
  readonly tasks: TaskList;
  readonly rewards: RewardList;
}

/** Lists whose entries are loaded once they are named. */
export interface Library {
  /** The lists, with everything loaded that one of these texts has among its words. */
  naming(...texts: readonly string[]): Promise<Registries>;
}
