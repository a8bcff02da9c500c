/** Every system of the tables, and the recipes that people know by name. The rows are packages/zoo/catalogue/papers/*.yaml. */
import { RECIPE_SUBJECTS, SUBJECTS } from './papers.ts';
import type { System } from './system.ts';

export const SYSTEMS: readonly System[] = SUBJECTS.flatMap(({ systems }) => systems);

/** Systems and recipes: all that is explained by name and has a config. */
export const PAPERS: readonly System[] = [...SYSTEMS, ...RECIPE_SUBJECTS.flatMap(({ systems }) => systems)];
