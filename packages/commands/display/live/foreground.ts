/** Whether this process may use the terminal: one in the background (`&`, `bg`) is stopped when it changes its mode. */
import { readFileSync } from 'node:fs';

/** Linux says so; elsewhere the terminal is taken to be ours. */
export function isInForeground(): boolean {
  const status = readStatus();
  // After the name in parentheses: state, parent, process group, session, terminal, its foreground group.
  const [, , group, , , foregroundGroup] = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return group === foregroundGroup;
}

/** Empty where the system has no such file. */
function readStatus(): string {
  try {
    return readFileSync('/proc/self/stat', 'latin1');
  } catch {
    return '';
  }
}
