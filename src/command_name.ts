/**
 * How the command is started here, for the commands that messages tell people to type. None of them may ask a registry:
 * until the package is published, its name there is free, and anyone who registers it would be run.
 */

let name = 'npx --no-install rlvr-train';

/** What a command line begins with: `npx --no-install rlvr-train`, `node dist/cli/main.js`. */
export function commandName(): string {
  return name;
}

/** Said once, by the program itself. */
export function nameCommand(started: string): void {
  name = started;
}
