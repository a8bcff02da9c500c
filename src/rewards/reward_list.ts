/** The reward functions that a config may name: given to whatever reads a config or opens a run, and imported by neither. */
import { ConfigError } from '../errors.ts';
import { didYouMean } from '../options/nearest_name.ts';
import { takeOptions } from '../options/read.ts';
import type { RewardDefinition, RewardFactory, RewardOptions } from './definition.ts';
import { isModuleFile, MODULE_ENDINGS } from './module_file.ts';
import type { RewardFunction } from './reward_function.ts';

export interface RewardList {
  /** The available reward functions, by name. */
  readonly loaded: Readonly<Record<string, RewardDefinition>>;
  /** Every known name, available or not, for messages. */
  readonly names: readonly string[];
  /** What other trainers call them, by the entry of `reward_funcs` that each is here. */
  readonly elsewhere?: Readonly<Record<string, readonly string[]>>;
}

/** The definition of a name; undefined if it is not available. */
export function findReward({ loaded }: RewardList, name: string): RewardDefinition | undefined {
  return Object.hasOwn(loaded, name) ? loaded[name] : undefined;
}

/** Reward functions of the caller, or what makes them, by the name that `reward_funcs` gives them. */
export type OwnRewards = Readonly<Record<string, RewardFunction | RewardFactory | RewardDefinition>>;

/** A reward made from its options. @throws ConfigError for an option that it does not have, or that breaks its rule */
export function makeReward(name: string, definition: RewardDefinition, given: RewardOptions): RewardFunction {
  const { options, rules } = definition;
  return definition.create(
    takeOptions(options, given, {
      path: `reward_funcs: ${name}`,
      subject: name,
      beside: ['name', 'weight'],
      rules: (values) => rules?.call(definition, values, given) ?? [],
    }),
  );
}

/** @throws ConfigError if there are options */
export function takesNoOptions(name: string, given: RewardOptions): void {
  takeOptions({}, given, { path: `reward_funcs: ${name}`, subject: name, beside: ['name', 'weight'] });
}

/**
 * A reward function by its name in `reward_funcs`.
 *
 * @param options  what the YAML gives besides name and weight
 * @param own      looked up before those of the list; a reward function takes no options, a factory reads them
 * @throws ConfigError for an unknown name or option, naming the nearest one
 */
export function getReward(
  list: RewardList,
  name: string,
  options: RewardOptions = {},
  own: OwnRewards = {},
): RewardFunction {
  const mine = Object.hasOwn(own, name) ? own[name] : undefined;
  if (typeof mine === 'function') return mine(options);
  if (mine !== undefined && 'create' in mine) return makeReward(name, mine, options);
  if (mine !== undefined) {
    takesNoOptions(name, options);
    const { range, refuses } = mine;
    return {
      name,
      ...(range && { range }),
      ...(refuses && { refuses: (item) => refuses.call(mine, item) }),
      score: (batch) => mine.score(batch),
    };
  }
  if (Object.hasOwn(list.loaded, name)) return makeReward(name, list.loaded[name], options);
  const rewardNames = [...Object.keys(own), ...list.names];
  throw new ConfigError(
    'unknown-reward',
    `reward_funcs: ${JSON.stringify(name)} — ${unknownRule(name, rewardNames, list)}`,
    {
      name,
      rewardNames,
    },
  );
}

function unknownRule(name: string, known: readonly string[], { elsewhere = {} }: RewardList): string {
  if (isModuleFile(name)) return 'a file, which the caller has not opened; see openPlugins of rlvr-train/node.';
  if (name.includes(',')) return `several names are a list; write [${name.trim()}].`;
  if (/[/\\.]/.test(name))
    return `neither a reward function nor a file that ends in ${MODULE_ENDINGS}; give its full name.`;
  const normalised = name.toLowerCase().replaceAll('-', '_');
  const entry = Object.keys(elsewhere).find((candidate) => elsewhere[candidate].includes(normalised));
  if (entry !== undefined) return `no such reward function; here it is ${entry}.`;
  return `no such reward function${didYouMean(name, known)} (known: ${known.join(', ')})`;
}
