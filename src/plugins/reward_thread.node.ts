/** The run's side of a user's reward: starts its thread, hands it batches, and does not wait for ever. */
import type { Worker } from 'node:worker_threads';
import { PluginError } from '../errors.ts';
import {
  describeReward,
  type RewardBatch,
  type RewardFunction,
  type RewardValues,
} from '../rewards/reward_function.ts';
import { refusal } from './module.node.ts';
import { endOf, startThread } from './plugin_thread.node.ts';
import type { RewardReply, RewardStart } from './reward_worker.node.ts';

/** A reward function that lives in a thread, until it is closed. */
export interface RewardThread extends RewardFunction {
  close(): Promise<void>;
}

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
export async function startReward(start: RewardStart, limits: RewardLimits): Promise<RewardThread> {
  const thread = new Thread(start, limits.score);
  try {
    await thread.load(limits.load);
    return thread;
  } catch (error) {
    await thread.close();
    throw error;
  }
}

type Answer = RewardReply | { readonly type: 'ended'; readonly reason: string } | { readonly type: 'late' };

const LONGEST_TIMER_MS = 2 ** 31 - 1; // a longer one would fire at once

class Thread implements RewardThread {
  readonly name: string;
  readonly source: string;
  readonly #worker: Worker;
  readonly #limitSeconds: number;
  /** Why the thread can answer no more. */
  #ended: string | undefined;
  /** Who waits for an answer. There is one question at a time: a run scores one batch after the other. */
  #settle: ((answer: Answer) => void) | undefined;

  constructor(start: RewardStart, limitSeconds: number) {
    this.name = start.label;
    this.source = start.reference.shown;
    this.#limitSeconds = limitSeconds;
    // What the user's code prints must not end up in a run's own output, which a script may read.
    this.#worker = startThread('reward_worker.node', start);
    this.#worker.stdout.pipe(process.stderr, { end: false });
    this.#worker.on('message', (reply: RewardReply) => this.#settle?.(reply));
    this.#worker.on('error', (cause: NodeJS.ErrnoException) => this.#end(endOf(cause)));
    this.#worker.on('exit', (code) => this.#end(`ended its thread by process.exit(${code})`));
  }

  async load(limitSeconds: number): Promise<void> {
    const reply = await this.#answer(limitSeconds);
    if (reply.type === 'refused') throw refusal(reply.rule, reply.facts);
    if (reply.type === 'late') {
      throw refusal(`does not finish loading within ${limitSeconds} s; correct it, or raise reward_timeout`);
    }
    if (reply.type === 'ended') throw refusal(`${reply.reason} while it was loaded; correct it`);
  }

  async score(batch: RewardBatch): Promise<RewardValues> {
    const step = `in step ${batch.trainerState.step + 1}`;
    const fail = (code: string, rule: string): PluginError =>
      new PluginError(code, `${describeReward(this)} ${rule}.`, { reward: this.name, source: this.source });
    const reply = await this.#answer(this.#limitSeconds, batch);
    switch (reply.type) {
      case 'scores':
        return reply.values;
      case 'failed':
        throw new PluginError('reward-failed', reply.message, { reward: this.name, source: this.source });
      case 'late': {
        const remedy = 'it hangs or is too slow; correct it, or raise reward_timeout';
        throw fail('reward-timeout', `gave nothing within ${this.#limitSeconds} s ${step} — ${remedy}`);
      }
      case 'ended':
        throw fail('reward-failed', `${reply.reason} ${step} — it can score nothing more; correct it`);
      case 'ready':
      case 'refused':
        throw new RangeError(`a reward thread said ${reply.type} to a batch`);
    }
  }

  /** What the thread says to a batch, or first of all. One that is late is stopped: its answer would come too late. */
  async #answer(limitSeconds: number, batch?: RewardBatch): Promise<Answer> {
    if (this.#ended !== undefined) return { type: 'ended', reason: this.#ended };
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<Answer>((resolve) => {
      this.#settle = resolve;
      timer = setTimeout(() => resolve({ type: 'late' }), Math.min(limitSeconds * 1000, LONGEST_TIMER_MS));
      if (batch !== undefined) this.#worker.postMessage(batch);
    });
    clearTimeout(timer);
    this.#settle = undefined;
    if (answer.type === 'late') await this.close();
    return answer;
  }

  #end(reason: string): void {
    this.#ended ??= reason; // an error is followed by an exit, which says less
    this.#settle?.({ type: 'ended', reason: this.#ended });
  }

  async close(): Promise<void> {
    this.#ended ??= 'was closed';
    await this.#worker.terminate();
  }
}
