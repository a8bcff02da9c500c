import type { BesideDeclaration } from '../packages/zoo/catalogue/method_page.ts';
import type { TrlKeys } from '../packages/zoo/catalogue/trl_table.ts';
import type { Command } from '../src/cli/flags/command.ts';

/** Where the generated pages go, from the root. */
export const GENERATED_FOLDER: string;

/** Of the sources or of build/. */
export interface Made {
  madePages(trl: TrlKeys, besideOf: (id: string) => BesideDeclaration): ReadonlyMap<string, string>;
  commandsPage(commands: readonly Command[]): string;
  readonly COMMANDS: readonly Command[];
  systemsPage(): string;
}

/** By path from the root, the text of each page. */
export function generatedPages(made: Made): Map<string, string>;
