/** Names in `task` and `reward_funcs` that mean a file of the user's own, such as `./rewards/brief.ts`. */

/** Endings of the files that can be loaded, as messages list them. */
export const MODULE_ENDINGS = '.ts, .mts, .js or .mjs';

/** Whether a name means a file that can be loaded. No built-in name has a dot. */
export function isModuleFile(name: string): boolean {
  return /\.(?:ts|mts|js|mjs)$/.test(name);
}

/** A reward function as a config names it. */
export interface NamedReward {
  readonly name: string;
  /** The export of a file that is used instead of the default one. */
  readonly export?: unknown;
  /** The sub-score that a reward of the name `part` is. */
  readonly of?: unknown;
  /** The function of a file in Python. */
  readonly function?: unknown;
}

/** The reward that is a sub-score of the verdict. */
export const PART_REWARD = 'part';

/**
 * The label of a reward function in metrics and messages: its name or sub-score; for a file, the export or the file's
 * stem.
 */
export function rewardLabel({ name, export: exported, of, function: called }: NamedReward): string {
  if (name === PART_REWARD && typeof of === 'string') return of;
  if (!isModuleFile(name)) return typeof called === 'string' ? called : name;
  if (typeof exported === 'string') return exported;
  return name.replace(/^.*[/\\]/, '').replace(/\.\w+$/, '');
}
