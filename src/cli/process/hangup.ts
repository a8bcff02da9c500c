/** A terminal that is closed, and `nohup`, which asks that a run outlives it. */
import { fstatSync, readSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Whether the process was started under `nohup`, which ignores SIGHUP. Node resets that, so it is recognised by the
 * unreadable standard input that `nohup` substitutes for a terminal.
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

/** Called at the start, so that a closed terminal does not end a process under `nohup`. */
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
 * Ends a process whose terminal was closed by that signal, once everything is saved. On a normal exit Node would reset
 * the terminal, and Node 20 crashes if it is gone.
 */
export function endAfterHangup(): void {
  if (hasHungUp && (process.stdin.isTTY || process.stdout.isTTY)) process.kill(process.pid, 'SIGHUP');
}
