/** What `explain` says of a published system. Nothing but that command and the pages of the documentation loads the table. */
import { systemsNamed } from './find_system.ts';
import { configName, nearestText } from './system_config.ts';
import { type Status, systemStates } from './system_state.ts';
import { lackTexts } from './systems_page.ts';

export { systemNames } from './find_system.ts';

export interface SystemFacts {
  readonly name: string;
  readonly arxiv?: string;
  readonly does: string;
  readonly status: Status;
  /** What of this package it is run with, by name. */
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
    const remarks = [
      nearest === undefined ? undefined : nearestText(nearest),
      transfers,
      differs,
      why === undefined ? undefined : `Nothing to build: ${why}.`,
      needs === undefined ? undefined : `Needs ${needs}.`,
      ...lackTexts(parts).map((text) => `${text.replaceAll('`', '')}.`),
    ];
    return {
      name: system.name,
      ...(arxiv !== undefined && { arxiv }),
      does,
      status,
      here: [...new Set(parts.flatMap(({ by }) => by).map((thing) => shown(thing.kind, thing.name)))],
      remarks: remarks.filter((text) => text !== undefined),
      keys,
      ...(config !== undefined && { config: `systems/${config}` }),
    };
  });
}

function shown(kind: string, name: string): string {
  return kind === 'page' ? `docs/${name}` : name;
}
