/** The definition of a reward function: its declared options, and its constructor from their values. */
import type { Reach } from '../http/servers.ts';
import type { KeyTable, Values } from '../options/keys.ts';
import type { BrokenRule, GivenOptions } from '../options/read.ts';
import type { RewardFunction } from './reward_function.ts';

/** Options of a reward as the YAML gives them, without `name` and `weight`. */
export type RewardOptions = GivenOptions;

/** Makes a reward function from its options in the YAML. @throws ConfigError for an option that it does not have */
export type RewardFactory = (options: RewardOptions) => RewardFunction;

/** A reward function with the options that it is made from. */
export interface RewardDefinition<T extends KeyTable = KeyTable> {
  /** Describes it in a sentence. */
  readonly does: string;
  /** Type, rule, default and text of each option. */
  readonly options: T;
  /** Rules that combine several options. */
  rules?(values: Values<T>, given: RewardOptions): readonly BrokenRule[];
  create(values: Values<T>): RewardFunction;
  /** The option that names a file or folder of this machine which it reads. */
  readonly reads?: string;
  /** The servers that it asks, by names of options; absent: none. */
  readonly reaches?: Reach;
}

/** A definition among others: `values` of its `create` are those of its own options. */
export function defineReward<T extends KeyTable>(definition: RewardDefinition<T>): RewardDefinition {
  return definition;
}
