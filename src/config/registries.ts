/**
 * What a config may name. Every reader of a config is given these lists. Neither this folder nor the loop imports a list that has
 * more than the methods every config can name (`usual_methods.ts`).
 */
import type { TaskList } from '../data/registered_task.ts';
import type { DiagnosticList } from '../diagnostics/diagnostic.ts';
import type { MethodList } from '../methods/method_list.ts';
import type { RewardList } from '../rewards/reward_list.ts';
import type { KeysElsewhere } from './unknown_keys.ts';

/** What a config may name, and what is said of a run of it. */
export interface Registries {
  readonly methods: MethodList;
  readonly tasks: TaskList;
  readonly rewards: RewardList;
  /** For what is said of a key that is not here; absent: it is unknown. */
  readonly keysElsewhere?: KeysElsewhere;
  /** What is looked for in a run; absent: nothing is. */
  readonly diagnostics?: DiagnosticList;
}

/** Lists whose entries are loaded once they are named. */
export interface Library {
  /** The lists, with everything loaded that one of these texts has among its words. */
  naming(...texts: readonly string[]): Promise<Registries>;
}
