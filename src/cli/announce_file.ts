/** Says that code of the user is about to run: on standard error, where `--json` and `--quiet` do not reach. */
export function announceFile(file: string): void {
  process.stderr.write(`loads ${file}: code of yours, which runs with your rights\n`);
}
