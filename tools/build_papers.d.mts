/** Types of build_papers.mjs, for its tests. */
import type { Mechanism, Subject } from '../packages/zoo/catalogue/systems/system.ts';

interface Papers {
  readonly SUBJECTS: readonly Subject[];
  readonly RECIPE_SUBJECTS: readonly Subject[];
  readonly MECHANISMS: Readonly<Record<string, Mechanism>>;
}

export function readPapers(folder?: string): Papers;
