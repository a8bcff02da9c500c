/**
 * What a config may name. Every reader of a config is given these lists. Neither this folder nor the loop imports a list that has
 * more than the methods every config can name (`usual_methods.ts`).
 */
import type { TaskList } from '../data/registered_task.ts';
import type { DiagnosticList } from '../diagnostics/diagnostic.ts';
import type { MethodList } from '../methods/method_list.ts';
import type { RewardList } from '../rewards/reward_list.ts';
import type { Problems } from './problems.ts';
import type { GivenKeys } from './section.ts';
import type { KeysElsewhere } from './unknown_keys.ts';

/** What a config may name, and what is said of a run of it. */
export interface Registries {
  readonly methods: MethodList;
  readonly tasks: TaskList;
  readonly rewards: RewardList;
  /** For what is said of a key that is not here; absent: it is unknown. */
  readonly keysElsewhere?: KeysElsewhere;
  /** Further values of `stage`, by name; absent: none. */
  readonly stageForms?: Readonly<Record<string, StageForm>>;
  /** What is looked for in a run; absent: nothing is. */
  readonly diagnostics?: DiagnosticList;
}

/** A name for grpo stages with certain methods, under the keys that other trainers have for them: `stage: dpo`. */
export interface StageForm {
  /** The keys that it has besides those of a grpo stage, which keep their meaning unless `asGrpo` changes it. */
  readonly keys: readonly string[];
  /**
   * What a grpo stage would say instead.
   *
   * @param own  its own keys @param path  of the stage, for messages about what it adds @param problems  where a value is refused
   */
  asGrpo(own: GivenKeys, path: string, problems: Pick<Problems, 'add'>): GivenKeys;
}

/** Lists whose entries are loaded once they are named. */
export interface Library {
  /** The lists, with everything loaded that one of these texts has among its words. */
  naming(...texts: readonly string[]): Promise<Registries>;
}
