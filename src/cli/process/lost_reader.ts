/**
 * Handles a standard output that takes no more: its reader is gone (`| head`, a `| tee` that Ctrl-C ended, a closed
 * window), or its file's disk is full.
 */

import { printError } from '../display/output.ts';

/** As the shell counts a program that SIGPIPE ended. */
export const LOST_READER_CODE = 141;

const FULL: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'your disk quota is used up',
  EFBIG: 'its file may grow no further',
};
const GONE: ReadonlySet<string> = new Set(['EPIPE', 'EIO']);

let react = (): void => {
  // The terminal was closed: at an exit of its own Node would restore its modes, and Node 20 crashes over that.
  if (process.stdout.isTTY) process.kill(process.pid, 'SIGHUP');
  process.exit(LOST_READER_CODE);
};

/** From now on a lost reader ends the process, or calls the given handler instead. */
export function watchReader(): void {
  let isTold = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const { code = '' } = error;
    const cause = FULL[code];
    if (cause === undefined && !GONE.has(code)) throw error;
    if (cause !== undefined && !isTold) printError(`standard output cannot be written: ${cause} (${code})`);
    isTold = true;
    react();
  });
  // Messages to the same disk or closed window are lost, too.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    const { code = '' } = error;
    if (FULL[code] === undefined && !GONE.has(code)) throw error;
  });
}

/** Does something else until the returned function is called; possibly at every write. */
export function onLostReader(action: () => void): () => void {
  const before = react;
  react = action;
  return () => {
    react = before;
  };
}
