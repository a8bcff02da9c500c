import { printable } from '../../format.ts';
import { printError } from './output.ts';

/** Says that code is about to run, even the user's own: on standard error, where `--json` and `--quiet` do not reach. */
export function announceFile(file: string): void {
  printError(`runs code from ${printable(file)}, with your rights`);
}
