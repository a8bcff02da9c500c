/** A config that is no file. */
import { library } from '../../../src/cli/parts.ts';
import type { LoadedConfig } from '../../../src/config/load.ts';
import type { Override } from '../../../src/config/overrides.ts';

/** A config that the command has the text of. @throws ConfigError */
export async function configOf(text: string, file: string, overrides: readonly Override[] = []): Promise<LoadedConfig> {
  const [{ parseConfig }, { assignmentOf }] = await Promise.all([
    import('../../../src/config/load.ts'),
    import('../../../src/config/overrides.ts'),
  ]);
  const registries = await library().naming(text, ...overrides.map(assignmentOf));
  return parseConfig(text, { file, registries }, overrides);
}
