/** The run's side of a user's reward: starts its thread, hands it batches, and does not wait for ever. */
import { PluginError } from '../errors.ts';
import {
  describeReward,
  inStep,
  type RewardBatch,
  type RewardFunction,
  type RewardValues,
} from '../rewards/reward_function.ts';
import { lateRule, ScoringWorker, type WorkerAnswer } from '../rewards/scoring_worker.ts';
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

class Thread implements RewardThread {
  readonly name: string;
  readonly source: string;
  readonly #worker: ScoringWorker<RewardReply>;
  readonly #limitSeconds: number;

  constructor(start: RewardStart, limitSeconds: number) {
    this.name = start.label;
    this.source = start.reference.shown;
    this.#limitSeconds = limitSeconds;
    // What the user's code prints must not end up in a run's own output, which a script may read.
    const thread = startThread('reward_worker.node', start);
    const worker = new ScoringWorker<RewardReply>({
      post: (message) => thread.postMessage(message),
      terminate: () => thread.terminate(),
    });
    this.#worker = worker;
    thread.stdout.pipe(process.stderr, { end: false });
    thread.on('message', (reply: RewardReply) => worker.hear(reply));
    thread.on('error', (cause: NodeJS.ErrnoException) => worker.end(endOf(cause)));
    thread.on('exit', (code) => worker.end(`ended its thread by process.exit(${code})`));
  }

  async load(limitSeconds: number): Promise<void> {
    const answer = await this.#ask(limitSeconds);
    if (answer.type === 'late') {
      throw refusal(`does not finish loading within ${limitSeconds} s; correct it, or raise reward_timeout`);
    }
    if (answer.type === 'ended') throw refusal(`${answer.reason} while it was loaded; correct it`);
    if (answer.reply.type === 'refused') throw refusal(answer.reply.rule, answer.reply.facts);
  }

  async score(batch: RewardBatch): Promise<RewardValues> {
    const { name: reward, source } = this;
    const fail = (code: string, rule: string): PluginError =>
      new PluginError(code, `${describeReward(this)} ${rule}.`, { reward, source });
    const answer = await this.#ask(this.#limitSeconds, batch);
    if (answer.type === 'late') {
      throw fail('reward-timeout', `${lateRule(this.#limitSeconds, inStep(batch))}, or raise reward_timeout`);
    }
    if (answer.type === 'ended') {
      throw fail('reward-failed', `${answer.reason} ${inStep(batch)} — it can score nothing more; correct it`);
    }
    const { reply } = answer;
    if (reply.type === 'scores') return reply.values;
    if (reply.type === 'failed') throw new PluginError('reward-failed', reply.message, { reward, source });
    throw new RangeError(`a reward thread said ${reply.type} to a batch`);
  }

  /** A thread that is late is stopped: its answer would come too late. */
  async #ask(limitSeconds: number, batch?: RewardBatch): Promise<WorkerAnswer<RewardReply>> {
    const answer = await this.#worker.ask(limitSeconds, batch);
    if (answer.type === 'late') await this.close();
    return answer;
  }

  close(): Promise<void> {
    return this.#worker.close();
  }
}
