/** The command rlvr-train, with all that the package has. */
import { EVERYTHING } from './everything.ts';
import { runCommand } from './run_command.ts';

await runCommand(EVERYTHING);
