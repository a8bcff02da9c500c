/**
 * What is sent to an MLflow server: its REST interface 2.0, and the artifacts that it keeps itself.
 *
 * @see https://mlflow.org/docs/latest/api_reference/rest-api.html
 */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../src/run/json.ts';
import type { LoggedNumber } from './sent_tracker.ts';
import { ServerError, TrackerServer } from './tracker_server.ts';

/** Where a server is, and how it is asked. */
export interface MlflowPlace {
  /** `http://127.0.0.1:5000`, or below a path. */
  readonly uri: string;
  /** By name; made where there is none. */
  readonly experiment: string;
  /** The value of the Authorization header. */
  readonly authorization?: string;
}

/** A number of a run at a step; JSON has no NaN, which the server reads as a text. */
export interface MlflowMetric {
  readonly key: string;
  readonly value: LoggedNumber;
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
/** Each answer is JSON; an empty one of an artifact is not looked at. */
const anyAnswer = z.record(z.string(), z.unknown());

export class MlflowClient {
  readonly #place: MlflowPlace;
  readonly #server: TrackerServer;

  constructor(place: MlflowPlace, { silenceMs }: { readonly silenceMs?: number } = {}) {
    const { uri, authorization } = place;
    const headers = authorization === undefined ? undefined : { authorization };
    this.#place = place;
    this.#server = new TrackerServer({
      tracker: 'mlflow',
      uri,
      headers,
      goneCode: 'RESOURCE_DOES_NOT_EXIST',
      silenceMs,
    });
  }

  /** Ends the request that is under way; further ones fail at once. */
  abort(): void {
    this.#server.abort();
  }

  /** The id of the experiment, which is made where there is none. @throws ServerError */
  async experiment(): Promise<string> {
    const { experiment: name } = this.#place;
    const query = `experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`;
    const find = async (): Promise<string> =>
      (await this.#ask(experimentAnswer, 'GET', query)).experiment.experiment_id;
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof ServerError) || error.failure !== 'gone') throw error;
    }
    const created = z.object({ experiment_id: z.string() });
    return (await this.#ask(created, 'POST', 'experiments/create', { name })).experiment_id;
  }

  /** @param tags  what the run is known by from its first moment */
  async createRun(experiment: string, name: string, startMs: number, tags: readonly MlflowPair[]): Promise<MlflowRun> {
    const body = { experiment_id: experiment, run_name: name, start_time: startMs, tags: plain(tags) };
    return (await this.#ask(runAnswer, 'POST', 'runs/create', body)).run.info;
  }

  /** The run that has a tag. */
  async findRun(experiment: string, { key, value }: MlflowPair): Promise<MlflowRun | undefined> {
    const filter = `tags.\`${key}\` = '${value}'`;
    const query = { experiment_ids: [experiment], filter, max_results: 1 };
    return (await this.#ask(foundAnswer, 'POST', 'runs/search', query)).runs[0]?.info;
  }

  async logBatch(runId: string, { metrics = [], params = [], tags = [] }: MlflowBatch): Promise<void> {
    const body = { run_id: runId, metrics: plain(metrics), params: plain(params), tags: plain(tags) };
    await this.#ask(anyAnswer, 'POST', 'runs/log-batch', body);
  }

  async setStatus(runId: string, status: string, endMs?: number): Promise<void> {
    const body = { run_id: runId, status, ...(endMs !== undefined && { end_time: endMs }) };
    await this.#ask(anyAnswer, 'POST', 'runs/update', body);
  }

  /** Keeps a file among the artifacts of a run; false where they are kept elsewhere than at the server. */
  async putArtifact({ artifact_uri: root }: MlflowRun, path: string, content: string): Promise<boolean> {
    const place = /^mlflow-artifacts:(?:\/\/[^/]*)?\/(.*)$/.exec(root)?.[1];
    if (place === undefined) return false;
    const name = [...place.split('/'), ...path.split('/')].map(encodeURIComponent).join('/');
    await this.#server.send('PUT', `/api/2.0/mlflow-artifacts/artifacts/${name}`, content, 'application/octet-stream');
    return true;
  }

  #ask<T>(schema: z.ZodType<T>, method: string, path: string, body?: JsonObject): Promise<T> {
    return this.#server.ask(schema, method, `/api/2.0/mlflow/${path}`, body);
  }
}

/** The entries as JSON's types have them. */
function plain(entries: readonly (MlflowMetric | MlflowPair)[]): JsonValue {
  return entries.map((entry): JsonObject => ({ ...entry }));
}
