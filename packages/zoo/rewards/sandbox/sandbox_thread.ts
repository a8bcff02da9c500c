/**
 * The run's side of a sandbox (`sandbox.ts`), the same for every host and for whatever is asked of it: one question at a
 * time, each with a limit and a nonce, and no answer after its end. A host starts the thread, and says here what it posts
 * and how it ended.
 */
import { PluginError } from '../../../../src/errors.ts';
import { type Envelope, newNonce, replyIn, type SandboxLimits, type SandboxReply } from './sandbox.ts';

/** How its host reaches the thread. */
export interface SandboxHost {
  post(message: Envelope<unknown>): void;
  terminate(): unknown;
}

export type SandboxAnswer =
  | { readonly type: 'reply'; readonly reply: SandboxReply }
  /** It can answer nothing more. */
  | { readonly type: 'ended'; readonly reason: string }
  /** Nothing came within the limit; the thread was ended. */
  | { readonly type: 'late' };

/** A longer timer would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A user's code in its thread, until it is closed. */
export class SandboxThread {
  protected readonly limits: SandboxLimits;
  readonly #host: SandboxHost;
  #ended: string | undefined;
  /** The open question. There is one at a time. */
  #open: { readonly nonce: string; readonly settle: (answer: SandboxAnswer) => void } | undefined;

  constructor(host: SandboxHost, limits: SandboxLimits) {
    this.#host = host;
    this.limits = limits;
  }

  /**
   * Has the code read.
   * @throws PluginError `rule; remedy` where it cannot be, or shows no reward; the thread is closed then
   */
  async load(question: unknown): Promise<void> {
    try {
      await this.#load(question);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #load(question: unknown): Promise<void> {
    const { load } = this.limits;
    const answer = await this.ask(load, question);
    if (answer.type === 'late') throw refusal(`does not finish loading within ${load} s; correct it${this.raise}`);
    if (answer.type === 'ended') throw refusal(`${answer.reason} while it was loaded; correct it`);
    const { reply } = answer;
    if (reply.type === 'refused') throw refusal(reply.rule, reply.facts);
    if (reply.type !== 'ready') throw refusal(`said ${reply.type} while it was loaded; correct it`);
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

  protected get raise(): string {
    return this.limits.key === undefined ? '' : `, or raise ${this.limits.key}`;
  }

  /** Asks once; what is not answered in time ends the thread. */
  async ask(limitSeconds: number, content: unknown): Promise<SandboxAnswer> {
    if (this.#ended !== undefined) return { type: 'ended', reason: this.#ended };
    const nonce = newNonce();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const answer = await new Promise<SandboxAnswer>((settle) => {
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

/** A PluginError about a user's file, `rule; remedy`; about one of its options where the facts have `key` and `value`. */
export function refusal(rule: string, facts: PluginError['facts'] = {}): PluginError {
  return new PluginError('bad-module', rule, facts);
}
