/** How the command was started, so that the commands it suggests start the same program. */
import { basename, isAbsolute, relative, sep } from 'node:path';
import { shellQuoted } from '../../format.ts';

/**
 * @param script   the program's file as Node was given it: `process.argv[1]`
 * @param directory  where the command was typed
 */
export function howStarted(script: string, directory: string): string {
  const folders = script.split(sep);
  // npm and npx start the link; --no-install keeps npx from a registry.
  if (folders.at(-2) === '.bin' && folders.at(-3) === 'node_modules') return 'npx --no-install rlvr-train';
  if (basename(script) === 'rlvr-train') return 'rlvr-train'; // installed for all, so on the PATH
  const fromHere = relative(directory, script);
  const isBelow = !isAbsolute(fromHere) && !fromHere.startsWith('..');
  return `node ${shellQuoted(isBelow ? fromHere : script)}`;
}
