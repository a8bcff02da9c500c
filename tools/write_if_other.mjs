import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Writes a file only where it changes, so that nothing is built or tested again for nothing. */
export function writeIfOther(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}
