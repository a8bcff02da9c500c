/**
 * What is sent to an MLflow server: its REST interface 2.0, and the artifacts that it keeps itself.
 *
 * @see https://mlflow.org/docs/latest/api_reference/rest-api.html
 */
import { z } from 'zod';
import { RlvrError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../run/json.ts';

/** Where a server is, and how it is asked. */
export interface MlflowPlace {
  /** `http://127.0.0.1:5000`, or below a path. */
  readonly uri: string;
  /** By name; made where there is none. */
  readonly experiment: string;
  /** The value of the Authorization header. */
  readonly authorization?: string;
}

/**
 * `passing`: nobody is there, or busy; later it may go well. `gone`: the server no longer has this run. `refused`: asking
 * again would not help.
 */
export type MlflowFailure = 'passing' | 'gone' | 'refused';

/** A server that did not do what it was asked; `message` says why, without what was asked. */
export class MlflowError extends RlvrError {
  readonly failure: MlflowFailure;

  constructor(failure: MlflowFailure, message: string) {
    super(`mlflow-${failure}`, message);
    this.failure = failure;
  }
}

/** A number of a run at a step; JSON has no NaN, which the server reads as a text. */
export interface MlflowMetric {
  readonly key: string;
  readonly value: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly step: number;
}

export interface MlflowPair {
  readonly key: string;
  readonly value: string;
}

/** What one request may hold: 1,000 metrics, 100 params and 100 tags. */
export interface MlflowBatch {
  readonly metrics?: readonly MlflowMetric[];
  readonly params?: readonly MlflowPair[];
  readonly tags?: readonly MlflowPair[];
}

export interface MlflowRun {
  readonly run_id: string;
  /** `mlflow-artifacts:/…` where the server keeps artifacts itself. */
  readonly artifact_uri: string;
}

const runAnswer = z.object({ run: z.object({ info: z.object({ run_id: z.string(), artifact_uri: z.string() }) }) });
const experimentAnswer = z.object({ experiment: z.object({ experiment_id: z.string() }) });
const foundAnswer = z.object({ runs: z.array(runAnswer.shape.run).default([]) });
const failureAnswer = z.object({ error_code: z.string(), message: z.string().default('') });

/** Longest wait for an answer. */
const SILENCE_MS = 30_000;
/** Most characters of a server's own words. */
const MOST_WORDS = 300;

/** One request at a time, each given up after a while; nothing is tried twice here. */
export class MlflowClient {
  readonly #place: MlflowPlace;
  readonly #silenceMs: number;
  readonly #end = new AbortController();

  constructor(place: MlflowPlace, { silenceMs = SILENCE_MS }: { readonly silenceMs?: number } = {}) {
    this.#place = place;
    this.#silenceMs = silenceMs;
  }

  /** Ends the request that is under way; further ones fail at once. */
  abort(): void {
    this.#end.abort();
  }

  /** The id of the experiment, which is made where there is none. @throws MlflowError */
  async experiment(): Promise<string> {
    const { experiment: name } = this.#place;
    const query = `experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`;
    const find = async (): Promise<string> =>
      read(experimentAnswer, await this.#ask('GET', query)).experiment.experiment_id;
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof MlflowError) || error.failure !== 'gone') throw error;
    }
    const answer = await this.#ask('POST', 'experiments/create', { name });
    return read(z.object({ experiment_id: z.string() }), answer).experiment_id;
  }

  /** @param tags  what the run is known by from its first moment */
  async createRun(experiment: string, name: string, startMs: number, tags: readonly MlflowPair[]): Promise<MlflowRun> {
    const body = { experiment_id: experiment, run_name: name, start_time: startMs, tags: plain(tags) };
    return read(runAnswer, await this.#ask('POST', 'runs/create', body)).run.info;
  }

  /** The run that has a tag. */
  async findRun(experiment: string, { key, value }: MlflowPair): Promise<MlflowRun | undefined> {
    const filter = `tags.\`${key}\` = '${value}'`;
    const answer = await this.#ask('POST', 'runs/search', { experiment_ids: [experiment], filter, max_results: 1 });
    return read(foundAnswer, answer).runs[0]?.info;
  }

  async logBatch(runId: string, { metrics = [], params = [], tags = [] }: MlflowBatch): Promise<void> {
    const body = { run_id: runId, metrics: plain(metrics), params: plain(params), tags: plain(tags) };
    await this.#ask('POST', 'runs/log-batch', body);
  }

  async setStatus(runId: string, status: string, endMs?: number): Promise<void> {
    await this.#ask('POST', 'runs/update', { run_id: runId, status, ...(endMs !== undefined && { end_time: endMs }) });
  }

  /** Keeps a file among the artifacts of a run; false where they are kept elsewhere than at the server. */
  async putArtifact({ artifact_uri: root }: MlflowRun, path: string, content: string): Promise<boolean> {
    const place = /^mlflow-artifacts:(?:\/\/[^/]*)?\/(.*)$/.exec(root)?.[1];
    if (place === undefined) return false;
    const name = [...place.split('/'), ...path.split('/')].map(encodeURIComponent).join('/');
    await this.#send('PUT', `/api/2.0/mlflow-artifacts/artifacts/${name}`, content, 'application/octet-stream');
    return true;
  }

  async #ask(method: string, path: string, body?: JsonObject): Promise<unknown> {
    const text = body && JSON.stringify(body);
    const answer = await this.#send(method, `/api/2.0/mlflow/${path}`, text, 'application/json');
    try {
      return JSON.parse(answer);
    } catch {
      throw notMlflow();
    }
  }

  async #send(method: string, path: string, body: string | undefined, type: string): Promise<string> {
    const { uri, authorization } = this.#place;
    const headers = { 'content-type': type, ...(authorization !== undefined && { authorization }) };
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(this.#silenceMs)]);
    let response: Response;
    let text: string;
    try {
      // Nothing is sent anywhere but to the place that the user named.
      response = await fetch(uri + path, {
        method,
        headers,
        signal,
        redirect: 'error',
        ...(body !== undefined && { body }),
      });
      text = await response.text();
    } catch (error) {
      throw new MlflowError('passing', this.#end.signal.aborted ? 'was not waited for' : reasonOf(error));
    }
    if (!response.ok) throw failureOf(response.status, text);
    return text;
  }
}

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const { success, data } = schema.safeParse(answer);
  if (!success) throw notMlflow();
  return data as T; // parsed
}

function notMlflow(): MlflowError {
  return new MlflowError('refused', 'answers, but not as MLflow does');
}

function failureOf(status: number, text: string): MlflowError {
  const { data } = failureAnswer.safeParse(tryJson(text));
  const words = data === undefined ? '' : `: ${data.message.slice(0, MOST_WORDS)}`;
  const said = `answered ${status}${words}`;
  if (status === 408 || status === 429 || status >= 500) return new MlflowError('passing', said);
  if (data?.error_code === 'RESOURCE_DOES_NOT_EXIST') return new MlflowError('gone', said);
  return new MlflowError('refused', said);
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

/** The entries as JSON's types have them. */
function plain(entries: readonly (MlflowMetric | MlflowPair)[]): JsonValue {
  return entries.map((entry): JsonObject => ({ ...entry }));
}
