/** Every system of the table, by subject, and the recipes that people know by name. */
import { ANALYSIS } from './analysis.ts';
import { CREDIT } from './credit.ts';
import { DATA } from './data.ts';
import { ENVIRONMENTS } from './environments.ts';
import { GUIDANCE } from './guidance.ts';
import { JUDGES } from './judges.ts';
import { OBJECTIVE } from './objective.ts';
import { RECIPES } from './recipes.ts';
import { RECIPES_OF_AGENTS } from './recipes_of_agents.ts';
import { RECIPES_OF_CHANGES } from './recipes_of_changes.ts';
import { RECIPES_OF_MODELS } from './recipes_of_models.ts';
import { RECIPES_OF_PREFERENCES } from './recipes_of_preferences.ts';
import { REWARDS } from './rewards.ts';
import { SAMPLING } from './sampling.ts';
import type { System } from './system.ts';
import { VERIFIERS } from './verifiers.ts';

interface Subject {
  readonly title: string;
  readonly systems: readonly System[];
}

export const SUBJECTS: readonly Subject[] = [
  { title: 'Advantages and credit', systems: CREDIT },
  { title: 'Objectives, clips and penalties', systems: OBJECTIVE },
  { title: 'Sampling and search', systems: SAMPLING },
  { title: 'Problems, levels and mixtures', systems: DATA },
  { title: 'Rewards', systems: REWARDS },
  { title: 'Without a verifier, or with a weak one', systems: VERIFIERS },
  { title: 'Hints, references and self-distillation', systems: GUIDANCE },
  { title: 'Judges, self-verification and self-play', systems: JUDGES },
  { title: 'Environments, tools and programs', systems: ENVIRONMENTS },
  { title: 'Studies, benchmarks and other fields', systems: ANALYSIS },
];

/** Counted apart: what they are made of is in the other systems too. */
export const RECIPE_SUBJECTS: readonly Subject[] = [
  { title: 'Recipes: reasoning', systems: RECIPES },
  { title: 'Recipes: tools, search, games and self-play', systems: RECIPES_OF_AGENTS },
  { title: 'Recipes: one change of GRPO', systems: RECIPES_OF_CHANGES },
  { title: 'Recipes: preferences and cloning', systems: RECIPES_OF_PREFERENCES },
  { title: 'Models and frameworks', systems: RECIPES_OF_MODELS },
];

export const SYSTEMS: readonly System[] = SUBJECTS.flatMap(({ systems }) => systems);

/** Systems and recipes: all that is explained by name and has a config. */
export const PAPERS: readonly System[] = [...SYSTEMS, ...RECIPE_SUBJECTS.flatMap(({ systems }) => systems)];
