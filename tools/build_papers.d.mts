/** Types of build_papers.mjs, for its tests. */
import type { Base, Mechanism, Subject } from '../packages/zoo/catalogue/systems/system.ts';

interface Papers {
  readonly SUBJECTS: readonly Subject[];
  readonly RECIPE_SUBJECTS: readonly Subject[];
  readonly MECHANISMS: Readonly<Record<string, Mechanism>>;
  readonly BASES: Readonly<Record<string, Base>>;
}

export function readPapers(folder?: string): Papers;
