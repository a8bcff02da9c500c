/**
 * An MLflow server on this machine, which answers as the real one did when test/golden/mlflow.json was recorded
 * (packages/trackers/test/mlflow.long.test.ts checks that). A test can make it fail or hang.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Pair {
  readonly key: string;
  readonly value: string;
}
interface Metric {
  readonly key: string;
  readonly value: number | string;
  readonly timestamp: number;
  readonly step: number;
}

class KeptRun {
  readonly params = new Map<string, string>();
  readonly tags = new Map<string, string>();
  /** By all that it is: a metric that comes twice is kept once. */
  readonly metrics = new Map<string, Metric>();
  status = 'RUNNING';
  endTime: number | undefined;
  isDeleted = false;

  constructor(
    readonly id: string,
    readonly experiment: string,
    readonly name: string,
    readonly startTime: number,
  ) {}

  /** [step, value], in the order in which they came. */
  history(key: string): [number, number | string][] {
    return [...this.metrics.values()].filter((metric) => metric.key === key).map(({ step, value }) => [step, value]);
  }

  get info() {
    const { id, experiment, name, status, startTime, endTime } = this;
    return {
      run_uuid: id,
      experiment_id: experiment,
      run_name: name,
      user_id: '',
      status,
      start_time: startTime,
      ...(endTime !== undefined && { end_time: endTime }),
      artifact_uri: `mlflow-artifacts:/${experiment}/${id}/artifacts`,
      lifecycle_stage: 'active',
      run_id: id,
    };
  }

  get data() {
    return { tags: [...this.tags].map(([key, value]) => ({ key, value })) };
  }
}

/** What is answered instead of success. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly kind = code,
  ) {
    super(message);
  }
}

const NAME = /^[\w\-. :/]+$/;

export class LoopbackMlflow {
  readonly runs = new Map<string, KeptRun>();
  /** By path below the run. */
  readonly artifacts = new Map<string, string>();
  readonly asked: string[] = [];
  /** What the next answers are instead; `silent` never comes, `lost` is done and not told. */
  readonly failures: (number | 'silent' | 'lost')[] = [];
  isHanging = false;
  readonly #experiments = new Map<string, string>([['Default', '0']]);
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #port = 0;

  get uri(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Again at the same place, where it was open before. */
  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get onlyRun(): KeptRun {
    const [run, ...others] = this.runs.values();
    if (run === undefined || others.length > 0) throw new Error(`${this.runs.size} runs`);
    return run;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    this.asked.push(`${method} ${url}`);
    let body = '';
    for await (const piece of request) body += piece;
    const failure = this.failures.shift();
    if (failure === 'silent' || this.isHanging) return;
    if (typeof failure === 'number') {
      response.writeHead(failure).end('busy');
      return;
    }
    const [status, text] = this.#do(method, url, body);
    if (failure === 'lost') response.destroy();
    else response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  }

  #do(method: string, url: string, body: string): [number, string] {
    const { pathname, searchParams } = new URL(url, this.uri);
    try {
      const artifact = /^\/api\/2\.0\/mlflow-artifacts\/artifacts\/[^/]+\/([^/]+)\/artifacts\/(.+)$/.exec(pathname);
      if (artifact !== null && method === 'PUT') {
        this.artifacts.set(decodeURIComponent(artifact[2]), body);
        return [200, ''];
      }
      const given = method === 'GET' ? Object.fromEntries(searchParams) : JSON.parse(body);
      const answer = this.#ask(`${method} ${pathname.replace('/api/2.0/mlflow/', '')}`, given);
      return [200, JSON.stringify(answer)];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status, code, message, kind } = error;
      return [status, JSON.stringify({ error_code: code, message, sqlstate: 'KAM00', error_class: kind })];
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the bodies are those that the client is known to send
  #ask(what: string, given: any): object {
    switch (what) {
      case 'GET experiments/get-by-name': {
        const name = given.experiment_name;
        const id = this.#experiments.get(name);
        if (id === undefined) throw missing(`Could not find experiment with name '${name}'`);
        const times = { last_update_time: 0, creation_time: 0 };
        const location = `mlflow-artifacts:/${id}`;
        const facts = { name, artifact_location: location, lifecycle_stage: 'active', ...times, workspace: 'default' };
        return { experiment: { experiment_id: id, ...facts } };
      }
      case 'POST experiments/create': {
        const id = String(this.#experiments.size);
        this.#experiments.set(given.name, id);
        return { experiment_id: id };
      }
      case 'POST runs/create': {
        const id = `run${this.runs.size}`;
        const run = new KeptRun(id, given.experiment_id, given.run_name, given.start_time);
        for (const { key, value } of [...given.tags, { key: 'mlflow.runName', value: given.run_name }]) {
          run.tags.set(key, value);
        }
        this.runs.set(id, run);
        return { run: { info: run.info, data: run.data, inputs: {} } };
      }
      case 'POST runs/search': {
        const [, key, value] = /^tags\.`(.+)` = '(.*)'$/.exec(given.filter) ?? [];
        const found = [...this.runs.values()].filter(({ tags }) => tags.get(key ?? '') === value);
        if (found.length === 0) return {};
        return { runs: found.map(({ info, data }) => ({ info, data, inputs: {}, outputs: {} })) };
      }
      case 'POST runs/log-batch':
        return this.#logBatch(this.#run(given.run_id), given);
      case 'GET metrics/get-history': {
        const history = [...this.#run(given.run_id).metrics.values()];
        return { metrics: history.filter(({ key }) => key === given.metric_key) };
      }
      case 'POST runs/update': {
        const run = this.#run(given.run_id);
        run.status = given.status;
        run.endTime = given.end_time ?? run.endTime;
        return { run_info: run.info };
      }
      case 'POST runs/delete':
        this.#run(given.run_id).isDeleted = true;
        return {};
      default:
        throw new Error(`nobody asks ${what}`);
    }
  }

  #run(id: string): KeptRun {
    const run = this.runs.get(id);
    if (run === undefined) throw missing(`Run with id=${id} not found`);
    if (run.isDeleted) {
      throw invalid(`The run ${id} must be in the 'active' state. Current state is deleted.`);
    }
    return run;
  }

  #logBatch(run: KeptRun, { metrics = [], params = [], tags = [] }: Record<string, readonly unknown[]>): object {
    const list = metrics as readonly Metric[];
    for (const [i, { key }] of list.entries()) {
      const rule =
        'Names may only contain alphanumerics, underscores (_), dashes (-), periods (.), spaces ( ), colon(:) and slashes (/).';
      if (!NAME.test(key)) throw invalid(`Invalid value "${key}" for parameter 'metrics[${i}].name' supplied: ${rule}`);
    }
    if (list.length > 1_000 || params.length > 100 || tags.length > 100) throw invalid('too many');
    for (const { key, value } of params as readonly Pair[]) {
      const old = run.params.get(key);
      if (old === undefined || old === value) continue;
      const change = `{'key': '${key}', 'old_value': '${old}', 'new_value': '${value}'}`;
      throw invalid(
        `Changing param values is not allowed. Params were already logged='[${change}]' for run ID='${run.id}'.`,
      );
    }
    for (const metric of list) run.metrics.set(JSON.stringify(metric), metric);
    for (const { key, value } of params as readonly Pair[]) run.params.set(key, value);
    for (const { key, value } of tags as readonly Pair[]) run.tags.set(key, value);
    return {};
  }
}

function missing(message: string): Refused {
  return new Refused(404, 'RESOURCE_DOES_NOT_EXIST', message, 'RESOURCE_NOT_FOUND');
}

function invalid(message: string): Refused {
  return new Refused(400, 'INVALID_PARAMETER_VALUE', message);
}
