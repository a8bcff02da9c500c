/** The parts of the core's own command: `train`, and what every config can name. */
import { CORE } from '../core_registries.ts';
import { openNamed } from '../run/opened_config.ts';
import { TRAIN } from './commands/train.ts';
import type { CommandParts } from './parts.ts';

export const CORE_PARTS: CommandParts = {
  commands: [TRAIN],
  library: { naming: async () => CORE },
  openConfig: openNamed,
};
