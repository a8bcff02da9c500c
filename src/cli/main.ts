#!/usr/bin/env node
/** The command of the core alone: `train`, and what every config can name. `rlvr-train` itself is packages/commands/main.ts. */
import { CORE } from '../core_registries.ts';
import { openNamed } from '../run/opened_config.ts';
import { TRAIN } from './commands/train.ts';
import { runCommand } from './run_command.ts';

await runCommand({ commands: [TRAIN], library: { naming: async () => CORE }, openConfig: openNamed });
