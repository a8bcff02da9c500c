/** The command rlvr-train, with all that the package has. */

import { runCommand } from '../../src/cli/run_command.ts';
import { EVERYTHING } from './everything.ts';

await runCommand(EVERYTHING);
