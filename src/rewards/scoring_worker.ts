/**
 * The run's side of a worker that runs code of a user's: one question at a time, each with a limit, and no answer after
 * its end. What the worker is, a thread of Node's or a worker of a browser's, its host decides
 * (`plugins/reward_thread.node.ts`, `web/own_reward.ts`).
 */

/** How its host reaches the worker. */
export interface WorkerHost {
  post(message: unknown): void;
  terminate(): unknown;
}

/** What comes of a question: the worker's reply, or why there is none. */
export type WorkerAnswer<Reply> =
  | { readonly type: 'reply'; readonly reply: Reply }
  /** It can answer nothing more. */
  | { readonly type: 'ended'; readonly reason: string }
  /** Nothing came within the limit. The worker may still be at work: to be ended or closed by its host. */
  | { readonly type: 'late' };

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class ScoringWorker<Reply> {
  readonly #host: WorkerHost;
  #ended: string | undefined;
  /** Who waits for an answer. There is one question at a time: a run scores one batch after the other. */
  #settle: ((answer: WorkerAnswer<Reply>) => void) | undefined;

  constructor(host: WorkerHost) {
    this.#host = host;
  }

  /** @param message  undefined: only waits for what the worker says by itself, as when it has loaded its code */
  async ask(limitSeconds: number, message?: unknown): Promise<WorkerAnswer<Reply>> {
    if (this.#ended !== undefined) return { type: 'ended', reason: this.#ended };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const answer = await new Promise<WorkerAnswer<Reply>>((resolve) => {
      this.#settle = resolve;
      timer = setTimeout(() => resolve({ type: 'late' }), Math.min(limitSeconds * 1000, LONGEST_TIMER_MS));
      if (message !== undefined) this.#host.post(message);
    });
    clearTimeout(timer);
    this.#settle = undefined;
    return answer;
  }

  /** To be called with whatever the worker says. */
  hear(reply: Reply): void {
    this.#settle?.({ type: 'reply', reply });
  }

  /** The worker can answer nothing more. The first reason counts: an error is followed by an exit, which says less. */
  end(reason: string): void {
    this.#ended ??= reason;
    this.#settle?.({ type: 'ended', reason: this.#ended });
  }

  async close(): Promise<void> {
    this.#ended ??= 'was closed';
    await this.#host.terminate();
  }
}

/** `gave nothing within 5 s in step 12 — it hangs or is too slow; correct it`: the rule that a late worker breaks. */
export function lateRule(limitSeconds: number, when: string): string {
  return `gave nothing within ${limitSeconds} s ${when} — it hangs or is too slow; correct it`;
}
