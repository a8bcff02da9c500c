/** What the command's configs may name: one process has one library, which `main.ts` gives before anything is parsed. */
import type { LoadedConfig } from '../config/load.ts';
import type { Override } from '../config/overrides.ts';
import type { Library } from '../config/registries.ts';

let given: Library | undefined;

/** To be called once, before the command reads its words. */
export function useLibrary(library: Library): void {
  given = library;
}

export function library(): Library {
  if (given === undefined) throw new RangeError('the command was started without a library');
  return given;
}

/** A config that the command has the text of. @throws ConfigError */
export async function configOf(text: string, file: string, overrides: readonly Override[] = []): Promise<LoadedConfig> {
  const [{ parseConfig }, { assignmentOf }] = await Promise.all([
    import('../config/load.ts'),
    import('../config/overrides.ts'),
  ]);
  const registries = await library().naming(text, ...overrides.map(assignmentOf));
  return parseConfig(text, { file, registries }, overrides);
}
