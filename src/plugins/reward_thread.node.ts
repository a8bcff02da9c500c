/** The sandbox of a user's reward in Node: a thread, of which the run sees one end (`rewards/sandbox/sandboxed_reward.ts`). */
import { machineBytes } from '../kernels/wasm/workers.node.ts';
import { SandboxedReward } from '../rewards/sandbox/sandboxed_reward.ts';
import { endOf, startThread } from './plugin_thread.node.ts';
import type { RewardStart } from './reward_worker.node.ts';

/** Most seconds that a thread may take. */
export interface RewardLimits {
  readonly load: number;
  /** For each batch. */
  readonly score: number;
  /** Most bytes by which the process may grow meanwhile. Default: half of the machine's memory, at most 4 GiB. */
  readonly memoryBytes?: number;
}

/**
 * Loads a reward in a thread of its own.
 *
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no reward
 */
export async function startReward(start: RewardStart, limits: RewardLimits): Promise<SandboxedReward> {
  const thread = startThread('reward_worker.node', start);
  const mostBytes = limits.memoryBytes ?? Math.min(machineBytes() / 2, 4 * GIB);
  const memory = new MemoryWatch(mostBytes, () => {
    reward.end(`took more than ${(mostBytes / GIB).toFixed(1)} GiB of memory`);
    void thread.terminate();
  });
  const reward = new SandboxedReward({
    name: start.label,
    source: start.reference.shown,
    host: {
      post(message) {
        memory.start();
        thread.postMessage(message);
      },
      terminate() {
        memory.stop();
        return thread.terminate();
      },
    },
    limits: { load: limits.load, score: limits.score, key: 'reward_timeout' },
  });
  // What the user's code prints must not end up in a run's own output, which a script may read.
  thread.stdout.pipe(process.stderr, { end: false });
  thread.on('message', (message) => {
    memory.stop();
    reward.hear(message);
  });
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

const GIB = 2 ** 30;
const LOOK_MS = 50;

/**
 * Looks how the process grows while a thread is asked: the engine limits the objects of a thread, not the buffers
 * outside of its heap.
 */
class MemoryWatch {
  readonly #mostBytes: number;
  readonly #onExcess: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(mostBytes: number, onExcess: () => void) {
    this.#mostBytes = mostBytes;
    this.#onExcess = onExcess;
  }

  start(): void {
    this.stop();
    const before = process.memoryUsage.rss();
    this.#timer = setInterval(() => {
      if (process.memoryUsage.rss() - before <= this.#mostBytes) return;
      this.stop();
      this.#onExcess();
    }, LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
