/** Threads in which files of the user's run, so that what they do can be ended from outside. */
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** The built worker is imported as it is; in tests its source, which Node 20 cannot import, comes through jiti. */
const BOOT = `
  const { jiti, entry } = require('node:worker_threads').workerData;
  if (entry.endsWith('.js')) import(entry);
  else require(jiti).createJiti(entry, { tryNative: true }).import(entry);
`;
const JITI = createRequire(import.meta.url).resolve('jiti');

/**
 * Starts a thread; what it prints is left to the caller, as `worker.stdout`.
 *
 * @param entry  a file, by its path from this folder and without its extension
 * @param start  what the thread finds in `workerData.start`
 * @param stderr  'kept': what it prints there is left to the caller too; else it goes to the process's own
 */
export function startThread(entry: string, start: unknown, stderr?: 'kept'): Worker {
  const file = new URL(`./${entry}${extname(import.meta.url)}`, import.meta.url).href;
  return new Worker(BOOT, {
    eval: true,
    stdout: true,
    stderr: stderr === 'kept',
    workerData: { jiti: JITI, entry: file, start },
    // BOOT is a script, whatever the text is that Node itself was started with.
    ...(process.execArgv.some((flag) => flag.startsWith('--input-type')) && { execArgv: [] }),
  });
}

/** Why a thread failed, where it says no more: `ran out of memory`. */
export function endOf(cause: NodeJS.ErrnoException): string {
  if (cause.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'ran out of memory';
  return `failed outside of a call (${cause.name}: ${cause.message})`;
}
