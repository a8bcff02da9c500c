/**
 * The run's side of a sandbox (`sandbox.ts`), the same for every host: one question at a time, each with a limit and a
 * nonce, and no answer after its end. A host starts the thread, and says here what it posts and how it ended.
 */
import { PluginError } from '../errors.ts';
import { describeReward, inStep, type RewardBatch, type RewardFunction, type RewardValues } from './reward_function.ts';
import { type Envelope, newNonce, replyIn, type SandboxLimits, type SandboxReply } from './sandbox.ts';

/** How its host reaches the thread. */
export interface SandboxHost {
  post(message: Envelope<unknown>): void;
  terminate(): unknown;
}

export interface SandboxedRewardOptions {
  /** What the reward is called in metrics and messages. */
  readonly name: string;
  /** The file that it comes from. */
  readonly source?: string;
  readonly host: SandboxHost;
  readonly limits: SandboxLimits;
  /** What the thread is told of a batch; default: all that can be copied. */
  readonly question?: (batch: RewardBatch) => unknown;
}

type Answer =
  | { readonly type: 'reply'; readonly reply: SandboxReply }
  /** It can answer nothing more. */
  | { readonly type: 'ended'; readonly reason: string }
  /** Nothing came within the limit; the thread was ended. */
  | { readonly type: 'late' };

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A user's reward in its thread, until it is closed. */
export class SandboxedReward implements RewardFunction {
  readonly name: string;
  readonly source?: string;
  readonly #host: SandboxHost;
  readonly #limits: SandboxLimits;
  readonly #question: (batch: RewardBatch) => unknown;
  #ended: string | undefined;
  /** The open question. There is one at a time: a run scores one batch after the other. */
  #open: { readonly nonce: string; readonly settle: (answer: Answer) => void } | undefined;

  constructor({ name, source, host, limits, question = withoutFunctions }: SandboxedRewardOptions) {
    this.name = name;
    if (source !== undefined) this.source = source;
    this.#host = host;
    this.#limits = limits;
    this.#question = question;
  }

  /**
   * Has the code read.
   * @throws PluginError `rule; remedy` where it cannot be, or shows no reward
   */
  async load(question: unknown): Promise<void> {
    const { load } = this.#limits;
    const answer = await this.#ask(load, question);
    if (answer.type === 'late') throw refusal(`does not finish loading within ${load} s; correct it${this.#raise}`);
    if (answer.type === 'ended') throw refusal(`${answer.reason} while it was loaded; correct it`);
    const { reply } = answer;
    if (reply.type === 'refused') throw refusal(reply.rule, reply.facts);
    if (reply.type !== 'ready') throw refusal(`said ${reply.type} while it was loaded; correct it`);
  }

  /** @throws PluginError in words, where the code throws, hangs, or has ended */
  async score(batch: RewardBatch): Promise<RewardValues> {
    const facts = { reward: this.name, source: this.source };
    const fail = (code: string, rule: string): PluginError =>
      new PluginError(code, `${describeReward(this)} ${rule}.`, facts);
    const answer = await this.#ask(this.#limits.score, this.#question(batch));
    if (answer.type === 'late') {
      const rule = `gave nothing within ${this.#limits.score} s ${inStep(batch)} — it hangs or is too slow`;
      throw fail('reward-timeout', `${rule}; correct it${this.#raise}`);
    }
    if (answer.type === 'ended') {
      throw fail('reward-failed', `${answer.reason} ${inStep(batch)} — it can score nothing more; correct it`);
    }
    const { reply } = answer;
    if (reply.type === 'scores') return reply.values as RewardValues; // scoreRewards looks at all of it
    if (reply.type === 'failed') throw new PluginError('reward-failed', reply.message, facts);
    if (reply.type === 'threw') {
      const remedy = 'correct it, or give null where it does not apply';
      throw fail('reward-failed', `failed ${inStep(batch)}: ${reply.thrown} — ${remedy}`);
    }
    throw fail('reward-failed', `said ${reply.type} to a batch ${inStep(batch)} — correct it`);
  }

  /** To be called with whatever the thread posts. Only the reply to the open question counts. */
  hear(message: unknown): void {
    if (this.#open === undefined) return;
    const reply = replyIn(message, this.#open.nonce);
    if (reply !== undefined) this.#open.settle({ type: 'reply', reply });
  }

  /** The thread can answer nothing more. The first reason counts: an error is followed by an exit, which says less. */
  end(reason: string): void {
    this.#ended ??= reason;
    this.#open?.settle({ type: 'ended', reason: this.#ended });
  }

  async close(): Promise<void> {
    this.#ended ??= 'was closed';
    await this.#host.terminate();
  }

  get #raise(): string {
    return this.#limits.key === undefined ? '' : `, or raise ${this.#limits.key}`;
  }

  async #ask(limitSeconds: number, content: unknown): Promise<Answer> {
    if (this.#ended !== undefined) return { type: 'ended', reason: this.#ended };
    const nonce = newNonce();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const answer = await new Promise<Answer>((settle) => {
      this.#open = { nonce, settle };
      timer = setTimeout(() => settle({ type: 'late' }), Math.min(limitSeconds * 1000, LONGEST_TIMER_MS));
      this.#host.post({ nonce, content });
    });
    clearTimeout(timer);
    this.#open = undefined;
    // Its answer would come too late.
    if (answer.type === 'late') {
      this.#ended ??= `gave nothing within ${limitSeconds} s, and was ended`;
      await this.close();
    }
    return answer;
  }
}

function withoutFunctions({ judge: _, ...batch }: RewardBatch): RewardBatch {
  return batch;
}

function refusal(rule: string, facts: Readonly<Record<string, unknown>> = {}): PluginError {
  return new PluginError('bad-module', rule, facts);
}
