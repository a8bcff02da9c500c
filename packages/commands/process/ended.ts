/** Resolves when the process is told to end, by Ctrl-C, a kill or a closed terminal. */
export function ended(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
