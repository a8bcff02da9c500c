/**
 * The one kind of thread that a user's file runs in, so that whatever it does can be ended from outside. Its other end is
 * `own_worker.node.ts`; what is asked of it, and how long an answer may take, is the protocol of `SandboxThread`.
 */
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ModuleReference } from '../../../src/run/opened_config.ts';
import type { Envelope } from '../../zoo/rewards/sandbox/sandbox.ts';
import { type SandboxHost, SandboxThread } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import type { ThreadStart } from './roles.ts';

const WORKER = new URL(`./own_worker.node${extname(import.meta.url)}`, import.meta.url).href;
/**
 * The built worker is imported as it is; in tests its source comes through jiti. Not by Node's own stripping of types: that is
 * WebAssembly, and threads which come and go with it end the process on Node 24 (V8 frees an import wrapper twice).
 */
const BOOT = `
  const { jiti, entry } = require('node:worker_threads').workerData;
  if (entry.endsWith('.js')) import(entry);
  else require(jiti).createJiti(entry).import(entry);
`;
const JITI = createRequire(import.meta.url).resolve('jiti');

/**
 * Starts a thread. It keeps the process alive only while a question is open.
 *
 * @param make    the run's end of it
 * @param prints  what it prints goes to standard error, as a script may read the run's own output; or nowhere
 */
export function openThread<T extends SandboxThread>(
  start: ThreadStart,
  make: (host: SandboxHost) => T,
  prints: 'shown' | 'dropped' = 'shown',
): T {
  const worker = new Worker(BOOT, {
    eval: true,
    stdout: true,
    stderr: prints === 'dropped',
    workerData: { jiti: JITI, entry: WORKER, start },
    // BOOT is a script, whatever the text is that Node itself was started with.
    ...(process.execArgv.some((flag) => flag.startsWith('--input-type')) && { execArgv: [] }),
  });
  const thread = make({
    post(message: Envelope<unknown>) {
      worker.ref();
      worker.postMessage(message);
    },
    terminate: () => worker.terminate(),
  });
  if (prints === 'shown') worker.stdout.pipe(process.stderr, { end: false });
  else for (const output of [worker.stdout, worker.stderr]) output.resume();
  worker.on('message', (message) => {
    worker.unref();
    thread.hear(message);
  });
  worker.on('error', (cause: NodeJS.ErrnoException) => thread.end(endOf(cause)));
  worker.on('exit', (code) => thread.end(`ended its thread by process.exit(${code})`));
  return thread;
}

/** Why a thread failed that can no longer say so itself: `ran out of memory`. */
function endOf(cause: NodeJS.ErrnoException): string {
  if (cause.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'ran out of memory';
  return `failed outside of a call (${cause.name}: ${cause.message})`;
}

/**
 * Loads a file in a thread first, so that one that hangs, ends the process or eats the memory is noticed from outside: a task
 * or a method runs on the run's own thread, where nothing could report it. Costs a tenth of a second at the start of a run.
 *
 * @throws PluginError `rule; remedy` where the file cannot be loaded within some seconds
 */
export async function tryFile(reference: ModuleReference, seconds: number): Promise<void> {
  const limits = { load: seconds, score: seconds, key: 'reward_timeout' };
  // What the file prints shows when the run loads it.
  const thread = openThread({ kind: 'trial', reference }, (host) => new SandboxThread(host, limits), 'dropped');
  await thread.load(undefined);
  await thread.close();
}
