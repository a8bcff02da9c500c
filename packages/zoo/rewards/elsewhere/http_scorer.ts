/**
 * A server that scores completions: one POST of JSON after the other.
 *
 * What may pass by itself is tried again, later each time: no connection, no answer in time, half an answer, 408, 429, 5xx.
 * What would be the same again is not: another status, an answer of another form. After five failures in a row, whatever
 * was asked, nothing more is.
 */
import { ConfigError, PluginError } from '../../../../src/errors.ts';
import { LARGEST_REWARD, type RewardValues } from '../../../../src/rewards/reward_function.ts';
import { serverAddress, withoutSecrets } from '../../../http/address.ts';
import { boundedText, EndlessAnswer } from '../../../http/bounded_text.ts';
import type { AskedCompletion, Scorer } from './asked_reward.ts';

/** Options of the reward `http`. */
export interface HttpOptions {
  readonly url: string;
  /** Seconds for one answer, all of it. */
  readonly timeout: number;
  /** Further attempts of a question. */
  readonly retries: number;
  /** The variable of the environment with a header. */
  readonly headerEnv?: string;
}

/** Variables of the process, where there is one. */
export type Environment = Readonly<Record<string, string | undefined>>;

const MOST_FAILURES = 5;
const MOST_BYTES = 8e6;
/** Milliseconds before the second attempt, doubled with each; a server may ask for more by Retry-After. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Characters of what a server said that a message shows. */
const SHOWN = 120;

/** It may be answered at the next attempt. */
class Passing extends Error {
  readonly waitMs: number | undefined;

  constructor(what: string, waitMs?: number) {
    super(what);
    this.waitMs = waitMs;
  }
}

/** It would be the same again. */
class Lasting extends Error {}

export class HttpScorer implements Scorer {
  readonly source: string;
  readonly #options: HttpOptions;
  readonly #firstPauseMs: number;
  readonly #header: readonly [name: string, value: string] | undefined;
  /** In a row. */
  #failures = 0;
  readonly #closing = new AbortController();

  /**
   * @param firstPauseMs  before the second attempt
   * @throws ConfigError for an address with secrets or none, and for a variable that is not set
   */
  constructor(options: HttpOptions, environment: Environment, firstPauseMs = FIRST_PAUSE_MS) {
    this.#firstPauseMs = firstPauseMs;
    const { url, headerEnv } = options;
    const address = serverAddress(url);
    if (address === undefined) {
      throw refused('url', withoutSecrets(url), 'not the address of a server; for example http://127.0.0.1:8000/score');
    }
    if (address.authorization !== undefined || /[?#@]/.test(url)) {
      const rule = 'a config keeps no secrets; leave out what comes before @ or after ?, and give header_env';
      throw refused('url', withoutSecrets(url), rule);
    }
    this.source = address.uri;
    this.#options = options;
    this.#header = headerEnv === undefined ? undefined : headerOf(headerEnv, environment[headerEnv]);
  }

  async open(): Promise<void> {
    const { source } = this;
    try {
      readScores(await this.#post('[]', 'start'), 0);
    } catch (error) {
      if (!(error instanceof Passing || error instanceof Lasting)) throw error;
      const remedy = 'start the server, which answers an empty list with one, or correct url';
      throw refused('url', source, `${this.#said(error)}; ${remedy}`);
    } finally {
      this.#failures = 0;
    }
  }

  async ask(completions: readonly AskedCompletion[], key: string): Promise<RewardValues> {
    const body = JSON.stringify(completions);
    for (let attempt = 1; ; attempt++) {
      try {
        const values = readScores(await this.#post(body, key), completions.length);
        this.#failures = 0;
        return values;
      } catch (error) {
        if (error instanceof Lasting) throw this.#failed(this.#said(error), 'correct it');
        if (!(error instanceof Passing)) throw error;
        this.#failures++;
        const said = this.#said(error);
        if (this.#failures >= MOST_FAILURES) {
          throw this.#failed(`${said}, the ${MOST_FAILURES}th failure in a row, so it is asked no more`, 'see to it');
        }
        if (attempt > this.#options.retries) {
          throw this.#failed(`${said}, and so at ${attempt} attempts`, 'see to it, or raise retries or timeout');
        }
        await this.#pause(error.waitMs ?? this.#firstPauseMs * 2 ** (attempt - 1));
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  /** The whole text of an answer. @throws Passing, Lasting */
  async #post(body: string, key: string): Promise<string> {
    const { timeout } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeout * 1000);
    const end = (): void => late.abort();
    this.#closing.signal.addEventListener('abort', end);
    try {
      const response = await fetch(this.source, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'idempotency-key': key,
          ...(this.#header && { [this.#header[0]]: this.#header[1] }),
        },
        body,
        signal: late.signal,
      });
      const text = response.body === null ? '' : await boundedText(response.body, MOST_BYTES);
      if (response.ok) return text;
      const { status } = response;
      const what = `it answers with status ${status}${text.trim() === '' ? '' : ` (${shown(text.trim())})`}`;
      const passes = status === 408 || status === 429 || status >= 500;
      throw passes ? new Passing(what, waitOf(response.headers.get('retry-after'))) : new Lasting(what);
    } catch (error) {
      if (error instanceof Passing || error instanceof Lasting) throw error;
      if (error instanceof EndlessAnswer) throw new Lasting(error.message);
      if (late.signal.aborted) throw new Passing(`no answer within ${timeout} s`);
      throw new Passing(`it cannot be reached, or broke off (${reasonOf(error)})`);
    } finally {
      clearTimeout(timer);
      this.#closing.signal.removeEventListener('abort', end);
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_PAUSE_MS));
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** What went wrong, without the secret that a server may have said back. */
  #said({ message }: Error): string {
    const secret = this.#header?.[1];
    const bare = secret?.replace(/^\w+ /, '');
    return [secret, bare].reduce<string>((text, part) => (part ? text.replaceAll(part, '…') : text), message);
  }

  #failed(what: string, remedy: string): PluginError {
    const message = `reward "http" (${this.source}): ${what} — ${remedy}, then resume: nothing sampled is lost.`;
    return new PluginError('reward-server', message, { address: this.source });
  }
}

function refused(key: string, value: unknown, rule: string): ConfigError {
  const path = `reward_funcs: http.${key}`;
  return new ConfigError('bad-option', `${path}: ${JSON.stringify(value)} — ${rule}.`, {
    problems: [{ path, key, value, rule, kind: 'bad' }],
    key,
    value,
  });
}

/** `Name: value` is that header; a bare value is a token. The value is in no message. */
function headerOf(variable: string, given: string | undefined): readonly [string, string] {
  const value = given?.trim();
  if (value === undefined || value === '') {
    throw refused(
      'header_env',
      variable,
      `${variable} is not set in the environment; export it, or leave header_env out`,
    );
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    throw refused('header_env', variable, `the value of ${variable} holds characters that no header may; correct it`);
  }
  const [, name, rest] = /^([A-Za-z0-9-]+):\s+(.+)$/.exec(value) ?? [];
  return name === undefined || rest === undefined ? ['authorization', `Bearer ${value}`] : [name.toLowerCase(), rest];
}

/** One value per completion, matched by id. @throws Passing where it is no JSON, Lasting for another form */
function readScores(text: string, count: number): RewardValues {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Passing(`its answer is no JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  const form = `[{"id": 0, "score": 1}, …], one for each of ${count} completions`;
  if (!Array.isArray(read)) throw new Lasting(`its answer is ${shown(text)}, and should be ${form}`);
  const values = new Array<number | null | undefined>(count).fill(undefined);
  for (const entry of read as readonly unknown[]) {
    const { id, score } = (entry ?? {}) as { readonly id?: unknown; readonly score?: unknown };
    const place = typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < count ? id : undefined;
    if (place === undefined)
      throw new Lasting(`its answer has the id ${shown(JSON.stringify(id) ?? 'none')}, which was not asked: ${form}`);
    if (values[place] !== undefined) throw new Lasting(`its answer has the id ${place} twice: ${form}`);
    const isScore = score === null || (typeof score === 'number' && Math.abs(score) <= LARGEST_REWARD);
    if (!isScore) {
      const given = shown(JSON.stringify(score) ?? 'none');
      throw new Lasting(
        `its score for id ${place} is ${given}, and should be a number up to ${LARGEST_REWARD}, or null`,
      );
    }
    values[place] = score as number | null;
  }
  const left = values.indexOf(undefined);
  if (left >= 0) throw new Lasting(`its answer lacks the id ${left}: ${form}`);
  return values as (number | null)[];
}

/** Milliseconds; undefined where a server does not say, or says a date. */
function waitOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined;
}

/** `fetch` says that it failed, and keeps why as the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: unknown; message?: unknown } | undefined) : undefined;
  return String(cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : error));
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line;
}
