/**
 * All that a config can name, as plain data: the tasks with their knobs, the rewards and methods with their options.
 * The list of the command, the documentation and the controls of the page are made of it.
 */
import { registeredTasks } from '../data/registry.ts';
import { METHODS } from '../methods/registry.ts';
import { describeOptions, type OptionText } from '../options/describe.ts';
import type { Json } from '../options/json.ts';
import { builtInRewards } from '../rewards/built_in.ts';

export interface CatalogueTask {
  readonly name: string;
  readonly does: string;
  readonly example: readonly [prompt: string, answer: string];
  readonly category: string;
  readonly tier: 1 | 2 | 3;
  /** Rewards that fit: the verdict's score, and its sub-scores. */
  readonly rewards: readonly string[];
  readonly options: readonly OptionText[];
  /** Presets, easiest first: the knobs that differ from the defaults. */
  readonly levels: readonly Readonly<Record<string, Json | undefined>>[];
}

export interface CatalogueReward {
  readonly name: string;
  readonly does: string;
  readonly options: readonly OptionText[];
}

export interface CatalogueMethod extends CatalogueReward {
  /** Where in a step it acts. */
  readonly point: string;
  readonly formula: string;
  readonly source: string;
}

export interface Catalogue {
  readonly tasks: readonly CatalogueTask[];
  readonly rewards: readonly CatalogueReward[];
  readonly methods: readonly CatalogueMethod[];
}

/** Made anew at each call. */
export function catalogue(): Catalogue {
  return {
    tasks: Object.values(registeredTasks).map(({ card }) => {
      const { name, does, example, category, tier, parts, knobs, levels } = card;
      const rewards = ['accuracy', ...parts.filter((part) => Object.hasOwn(builtInRewards, part))];
      return { name, does, example, category, tier, rewards, options: describeOptions(knobs), levels };
    }),
    rewards: Object.entries(builtInRewards).map(([name, { does, options }]) => ({
      name,
      does,
      options: describeOptions(options),
    })),
    methods: Object.entries(METHODS).flatMap(([point, methods]) =>
      methods.map(({ id, about: { does, formula, source }, options }) => ({
        point,
        name: id,
        does,
        formula,
        source,
        options: describeOptions(options),
      })),
    ),
  };
}
