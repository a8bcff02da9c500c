/** A terminal that is closed, and `nohup`, which asks that a run outlives it. */
import { fstatSync, readSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Whether the process was started under `nohup`. That ignores SIGHUP, but Node undoes what it inherits; what is left is
 * the standard input that `nohup` gives in place of a terminal: one that cannot be read.
 */
function isUnderNohup(): boolean {
  try {
    // A terminal, a pipe or a file must not be read from here; `nohup` gives /dev/null, opened for writing.
    if (isatty(0) || !fstatSync(0).isCharacterDevice()) return false;
    readSync(0, new Uint8Array(1));
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EBADF';
  }
}

let isImmune = false;
let hasHungUp = false;

/** From the start on: a closed terminal does not end what was started under `nohup`. */
export function watchNohup(): void {
  isImmune = isUnderNohup();
  if (isImmune) process.on('SIGHUP', () => {});
}

/**
 * Tells of a closed terminal until the returned function is called: each time, since the shell and the system may both
 * say it. Nothing under `nohup`: the run continues.
 */
export function onHangup(action: () => void): () => void {
  if (isImmune) return () => {};
  const react = (): void => {
    hasHungUp = true;
    action();
  };
  process.on('SIGHUP', react);
  return () => {
    process.off('SIGHUP', react);
  };
}

/**
 * Ends a process whose terminal was closed by that signal, once everything is saved: at an exit of its own Node would put
 * the terminal back as it was, and Node 20 crashes where there is none any more.
 */
export function endAfterHangup(): void {
  if (hasHungUp && (process.stdin.isTTY || process.stdout.isTTY)) process.kill(process.pid, 'SIGHUP');
}
