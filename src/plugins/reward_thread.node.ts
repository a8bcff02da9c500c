/** The sandbox of a user's reward in Node: a thread, of which the run sees one end (`rewards/sandboxed_reward.ts`). */
import { SandboxedReward } from '../rewards/sandboxed_reward.ts';
import { endOf, startThread } from './plugin_thread.node.ts';
import type { RewardStart } from './reward_worker.node.ts';

/** Most seconds that a thread may take. */
export interface RewardLimits {
  readonly load: number;
  /** For each batch. */
  readonly score: number;
}

/**
 * Loads a reward in a thread of its own.
 *
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no reward
 */
export async function startReward(start: RewardStart, limits: RewardLimits): Promise<SandboxedReward> {
  const thread = startThread('reward_worker.node', start);
  const reward = new SandboxedReward({
    name: start.label,
    source: start.reference.shown,
    host: { post: (message) => thread.postMessage(message), terminate: () => thread.terminate() },
    limits: { ...limits, key: 'reward_timeout' },
  });
  // What the user's code prints must not end up in a run's own output, which a script may read.
  thread.stdout.pipe(process.stderr, { end: false });
  thread.on('message', (message) => reward.hear(message));
  thread.on('error', (cause: NodeJS.ErrnoException) => reward.end(endOf(cause)));
  thread.on('exit', (code) => reward.end(`ended its thread by process.exit(${code})`));
  try {
    await reward.load(undefined); // the thread knows its file from its start
    return reward;
  } catch (error) {
    await reward.close();
    throw error;
  }
}
