import { printable } from '../format.ts';
import { printError } from './output.ts';

/** Says that code of the user is about to run: on standard error, where `--json` and `--quiet` do not reach. */
export function announceFile(file: string): void {
  printError(`loads ${printable(file)}: code of yours, which runs with your rights`);
}
