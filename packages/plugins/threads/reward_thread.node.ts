/** The sandbox of a user's reward in Node: a thread; this is the run's end of it (`rewards/sandbox/sandboxed_reward.ts`). */
import { machineBytes } from '../../../src/kernels/wasm/workers.node.ts';
import type { SandboxAnswer } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import { SandboxedReward } from '../../zoo/rewards/sandbox/sandboxed_reward.ts';
import { openThread } from './own_thread.node.ts';
import type { RewardStart } from './roles.ts';

/** Most that a thread may take. */
export interface RewardLimits {
  /** Seconds to load the file. */
  readonly load: number;
  /** Seconds for each batch. */
  readonly score: number;
  /** Bytes by which the process may grow meanwhile. Default: half of the machine's memory, at most 4 GiB. */
  readonly memoryBytes?: number;
}

const GIB = 2 ** 30;
const LOOK_MS = 50;

/**
 * Loads a reward in a thread of its own.
 *
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no reward
 */
export async function startReward(start: Omit<RewardStart, 'kind'>, limits: RewardLimits): Promise<SandboxedReward> {
  const { load, score, memoryBytes = Math.min(machineBytes() / 2, 4 * GIB) } = limits;

  /** The engine limits the objects of a thread, not the buffers outside of its heap: the process is looked at instead. */
  class RewardThread extends SandboxedReward {
    override async ask(limitSeconds: number, content: unknown): Promise<SandboxAnswer> {
      const before = process.memoryUsage.rss();
      const timer = setInterval(() => {
        if (process.memoryUsage.rss() - before <= memoryBytes) return;
        this.end(`took more than ${(memoryBytes / GIB).toFixed(1)} GiB of memory`);
        void this.close();
      }, LOOK_MS);
      try {
        return await super.ask(limitSeconds, content);
      } finally {
        clearInterval(timer);
      }
    }
  }

  const reward = openThread({ kind: 'reward', ...start }, (host) => {
    const { label: name, reference } = start;
    return new RewardThread({ name, source: reference.shown, host, limits: { load, score, key: 'reward_timeout' } });
  });
  await reward.load(undefined); // the thread knows its file from its start
  return reward;
}
