/** Systems by name, as somebody types it. */
import { arxivNumber, plainName } from '../spelled_alike.ts';
import type { System } from './system.ts';
import { PAPERS } from './table.ts';

/** Those of that name or arXiv number; of several names, `Writing-Zero / BRPO`, each will do, in any case and with any marks. */
export function systemsNamed(name: string): readonly System[] {
  const paper = arxivNumber(name);
  if (paper !== undefined) return PAPERS.filter(({ arxiv }) => arxiv === paper);
  const wanted = plainName(name);
  return wanted === '' ? [] : PAPERS.filter((system) => namesOf(system).some((own) => plainName(own) === wanted));
}

/** Every name of every system. */
export function systemNames(): string[] {
  return PAPERS.flatMap(namesOf);
}

function namesOf({ name }: System): string[] {
  const short = name.split(/ \/ |\/| \+ |, | \(|\)|: /).filter((part) => part.length > 1);
  return [...new Set([name, ...short])];
}
