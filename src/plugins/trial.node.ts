/**
 * Loads a file in a thread first, so that one that hangs, ends the process or eats the memory is noticed from outside.
 *
 * A task runs on the run's own thread, where a loop without an end at the top of its file could be told by nobody.
 * Costs a tenth of a second at the start of a run.
 */
import { type ModuleReference, refusal } from './module.node.ts';
import { endOf, startThread } from './plugin_thread.node.ts';

/** @throws PluginError `rule; remedy` where the file does not come to its end; not where it is wrong otherwise */
export async function tryLoading(reference: ModuleReference, limitSeconds: number): Promise<void> {
  const worker = startThread('trial_worker.node', reference);
  worker.stdout.resume(); // what the file prints shows when the run loads it
  let timer: NodeJS.Timeout | undefined;
  const failure = await new Promise<string | undefined>((resolve) => {
    worker.on('message', () => resolve(undefined));
    worker.on('error', (cause: NodeJS.ErrnoException) => resolve(`${endOf(cause)} while it was loaded; correct it`));
    worker.on('exit', (code) => resolve(`ended its thread by process.exit(${code}) while it was loaded; correct it`));
    const late = `does not finish loading within ${limitSeconds} s; correct it, or raise reward_timeout`;
    timer = setTimeout(() => resolve(late), limitSeconds * 1000);
  });
  clearTimeout(timer);
  await worker.terminate();
  if (failure !== undefined) throw refusal(failure);
}
