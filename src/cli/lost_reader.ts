/** What happens when the reader of standard output goes away: `| head`, a `| tee` that Ctrl-C ended, a closed window. */

/** As the shell counts a program that SIGPIPE ended. */
export const LOST_READER_CODE = 141;

let react = (): void => process.exit(LOST_READER_CODE);

/** From now on a lost reader ends the process, or does what was asked for instead. */
export function watchReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    react();
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
