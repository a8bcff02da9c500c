#!/usr/bin/env node
/** The command of the core alone. `rlvr-train` itself is packages/commands/main.ts. */
import { CORE_PARTS } from './core_parts.ts';
import { runCommand } from './run_command.ts';

await runCommand(CORE_PARTS);
