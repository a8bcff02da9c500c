import { commandName } from '../command_name.ts';
import { shellQuoted } from '../format.ts';

/** The command that resumes a run: its directory knows the config. */
export function resumeCommand(directory: string): string {
  return `${commandName()} --resume --output ${shellQuoted(directory)}`;
}
