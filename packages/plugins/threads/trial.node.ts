/**
 * Loads a file in a thread first, so that one that hangs, ends the process or eats the memory is noticed from outside: a task
 * or a method runs on the run's own thread, where nobody could say so. Costs a tenth of a second at the start of a run.
 */
import { SandboxThread } from '../../../src/rewards/sandbox/sandbox_thread.ts';
import type { ModuleReference } from '../../../src/run/opened_config.ts';
import { openThread } from './own_thread.node.ts';

/** @throws PluginError `rule; remedy` where the file cannot be loaded within some seconds */
export async function tryFile(reference: ModuleReference, seconds: number): Promise<void> {
  const limits = { load: seconds, score: seconds, key: 'reward_timeout' };
  // What the file prints shows when the run loads it.
  const thread = openThread({ kind: 'trial', reference }, (host) => new SandboxThread(host, limits), 'dropped');
  try {
    await thread.load(undefined);
  } finally {
    await thread.close();
  }
}
