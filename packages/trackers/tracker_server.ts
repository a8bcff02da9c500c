/** A server that a tracker sends to: one request at a time, each given up after a while; nothing is tried twice here. */
import { z } from 'zod';
import { RlvrError } from '../../src/errors.ts';
import { boundedText, EndlessAnswer } from '../http/bounded_text.ts';

/**
 * `passing`: no answer, or busy; later it may go well. `gone`: the server no longer has this run. `refused`: asking
 * again would not help.
 */
export type ServerFailure = 'passing' | 'gone' | 'refused';

/** A server that did not do what it was asked; `message` says why, without what was asked. */
export class ServerError extends RlvrError {
  readonly failure: ServerFailure;

  constructor(tracker: string, failure: ServerFailure, message: string) {
    super(`${tracker}-${failure}`, message);
    this.failure = failure;
  }
}

export interface ServerOptions {
  /** As `report_to` has it. */
  readonly tracker: string;
  /** `http://127.0.0.1:5000`, or below a path. */
  readonly uri: string;
  /** Sent with every request, for instance one that says who asks. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The `error_code` of an answer that means "no longer here". */
  readonly goneCode?: string;
  readonly silenceMs?: number;
}

/** Longest wait for an answer. */
const SILENCE_MS = 30_000;
/** Longest answer; those of both trackers take some kilobytes. */
const MOST_BYTES = 4e6;
/** Most characters of a server's own words. */
const MOST_WORDS = 300;

const refusal = z.object({
  error_code: z.string().optional(),
  message: z.string().optional(),
  error: z.string().optional(),
});

export class TrackerServer {
  readonly #options: ServerOptions;
  readonly #end = new AbortController();

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** Ends the request that is under way; further ones fail at once. */
  abort(): void {
    this.#end.abort();
  }

  /** Sends JSON, and reads JSON. @throws ServerError */
  async ask<T>(schema: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> {
    const answer = await this.send(method, path, body && JSON.stringify(body), 'application/json');
    const { success, data } = schema.safeParse(tryJson(answer));
    if (!success) throw this.#error('refused', `answers, but not as ${this.#options.tracker} does`);
    return data as T; // parsed
  }

  /** @returns the text of the answer @throws ServerError */
  async send(method: string, path: string, body: string | undefined, type: string): Promise<string> {
    const { uri, headers, silenceMs = SILENCE_MS } = this.#options;
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(silenceMs)]);
    let response: Response;
    let text: string;
    try {
      // Nothing is sent anywhere but to the place that the user named.
      response = await fetch(uri + path, {
        method,
        headers: { 'content-type': type, ...headers },
        signal,
        redirect: 'error',
        body,
      });
      text = response.body === null ? '' : await boundedText(response.body, MOST_BYTES);
    } catch (error) {
      if (error instanceof EndlessAnswer) throw this.#error('refused', `is no such server: ${error.message}`);
      throw this.#error('passing', this.#end.signal.aborted ? 'was not waited for' : reasonOf(error));
    }
    if (!response.ok) throw this.#failure(response.status, text);
    return text;
  }

  #failure(status: number, text: string): ServerError {
    const { error_code: code, message, error } = refusal.safeParse(tryJson(text)).data ?? {};
    const words = message ?? error;
    const said = `answered ${status}${words === undefined ? '' : `: ${words.replace(/\.$/, '').slice(0, MOST_WORDS)}`}`;
    if (status === 408 || status === 429 || status >= 500) return this.#error('passing', said);
    return this.#error(code !== undefined && code === this.#options.goneCode ? 'gone' : 'refused', said);
  }

  #error(failure: ServerFailure, message: string): ServerError {
    return new ServerError(this.#options.tracker, failure, message);
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's page, say
  }
}

/** `ECONNREFUSED`, `no answer within 10 s`. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: unknown } }; // fetch rejects with nothing else
  if (name === 'TimeoutError') return 'does not answer';
  return typeof cause?.code === 'string' ? `cannot be reached (${cause.code})` : `cannot be reached (${message})`;
}
