/** Types of build_papers.mjs, for its tests. */
import type { Base, Mechanism, Shown, Subject } from '../packages/zoo/catalogue/systems/system.ts';

interface Papers {
  readonly SUBJECTS: readonly Subject[];
  readonly RECIPE_SUBJECTS: readonly Subject[];
  readonly MECHANISMS: Readonly<Record<string, Mechanism>>;
  readonly BASES: Readonly<Record<string, Base>>;
  readonly SHOWN: Readonly<Record<string, Shown>>;
}

export function readPapers(folder?: string): Papers;
