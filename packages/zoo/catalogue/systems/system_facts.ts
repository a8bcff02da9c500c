/** What `explain` says of a published system. Nothing but that command and the pages of the documentation loads the table. */
import { arxivNumber, plainName } from '../spelled_alike.ts';
import { shownText } from './shown.ts';
import type { System } from './system.ts';
import { configName, nearestText } from './system_config.ts';
import { type Status, systemStates, type Thing } from './system_state.ts';
import { lackTexts, placedTexts, STAGES } from './systems_page.ts';
import { PAPERS } from './table.ts';

export interface SystemFacts {
  readonly name: string;
  readonly arxiv?: string;
  readonly does: string;
  readonly status: Status;
  /** What of this package its config has, by name; and what is here besides: a sentence each, without its full stop. */
  readonly here: readonly string[];
  /** What is missing, in part or otherwise here; or why nothing is built. */
  readonly remarks: readonly string[];
  /** Lines of a config, at its top. */
  readonly keys: readonly string[];
  /** Its whole config, as `--config` takes it. */
  readonly config?: string;
}

/** Facts of all systems of that name, or of that paper's arXiv number. */
export function systemFacts(name: string): readonly SystemFacts[] {
  const systems = systemsNamed(name);
  if (systems.length === 0) return [];
  const of = systemStates();
  return systems.map((system) => {
    const { arxiv, does, keys = [], transfers, differs, nearest, why, needs } = system;
    const { status, parts } = of(system);
    const config = configName(system);
    const shown = shownText(system);
    const remarks = [
      shown === undefined ? undefined : `${shown}.`,
      nearest === undefined ? undefined : nearestText(nearest),
      transfers,
      differs,
      why === undefined ? undefined : `Nothing to build: ${why}.`,
      needs === undefined ? undefined : `No config: it needs ${needs}.`,
      ...lackTexts(parts).map((text) => `${text.replaceAll('`', '')}.`),
    ];
    return {
      name: system.name,
      arxiv,
      does,
      status,
      here: placedTexts(parts, nameOf),
      remarks: remarks.filter((text) => text !== undefined),
      keys,
      ...(config !== undefined && { config: `systems/${config}` }),
    };
  });
}

function nameOf({ kind, name }: Thing): string {
  if (kind === 'stages') return STAGES[name];
  return kind === 'page' ? `docs/${name}` : name;
}

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
