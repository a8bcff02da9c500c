/**
 * A run directory at an MLflow server: whatever the logs hold and the server does not is sent, in any session, however
 * often it was broken off. The logs are the truth; a cursor in the directory says how far the server has them.
 */
import { flatTree } from '../../src/run/flat_config.ts';
import type { JsonObject, JsonValue } from '../../src/run/json.ts';
import type { ReadCompletionLine } from '../../src/run/logs/completions.ts';
import { recordedTree } from '../../src/run/recorded_config.ts';
import type { RunEnd } from '../../src/run/tracker.ts';
import { TABLES_BEGINNING, type TableWalk, tableRow, walkOn } from './completions_walk.ts';
import { isStill, LOG_BEGINNING, linesAfter, placeAt } from './log_place.ts';
import { BEGINNING, isBehind, type ReadLine, readLine, type Walk } from './metrics_walk.ts';
import type { Mirror, MirrorOptions } from './mirrored.ts';
import type { MlflowClient, MlflowMetric, MlflowPair, MlflowPlace, MlflowRun } from './mlflow_client.ts';
import { CURSOR_FILE, type Cursor, newCursor } from './mlflow_cursor.ts';
import { ServerError } from './tracker_server.ts';

/** Most metrics in a request: half of what the server takes, as it stores some 1,500 a second. */
const MOST_METRICS = 500;
const MOST_PAIRS = 100;
/** Longest parameter that servers of any age take. */
const MOST_PARAMETER = 500;
/** Names that the cursor keeps, beyond what the tag holds. */
const MOST_TABLES = 100;

const METRICS = 'metrics.jsonl';
const COMPLETIONS = 'completions.jsonl';

interface MlflowOptions extends MirrorOptions {
  readonly place: MlflowPlace;
  readonly client: MlflowClient;
}

const STATUS = { finished: 'FINISHED', stopped: 'KILLED', failed: 'FAILED' } as const;

export class MlflowMirror implements Mirror {
  readonly #options: MlflowOptions;
  #cursor: Cursor;
  #hasStartedOver = false;

  private constructor(options: MlflowOptions, cursor: Cursor) {
    this.#options = options;
    this.#cursor = cursor;
  }

  /** Sends everything again where the cursor is of another server. */
  static async open(options: MlflowOptions): Promise<MlflowMirror> {
    const { store, place, startMs } = options;
    const known = await CURSOR_FILE.read(store);
    const cursor = known?.uri === place.uri ? known : newCursor(place.uri, known?.startMs ?? startMs);
    return new MlflowMirror(options, cursor);
  }

  /** The run's page. */
  get page(): string | undefined {
    const { run, uri } = this.#cursor;
    const experiment =
      run && /^[a-z-]+:(?:\/\/[^/]*)?\/(?:.*\/)?([^/]+)\/[^/]+\/artifacts$/.exec(run.artifact_uri)?.[1];
    return experiment && `${uri}/#/experiments/${experiment}/runs/${run?.run_id}`;
  }

  /**
   * Sends what is missing. Completions go with `tables`, the last table as far as it is.
   * @throws ServerError, after which it can be called again; CheckpointError where the directory cannot be read or written
   */
  async send({ tables }: { readonly tables: boolean }): Promise<void> {
    try {
      await this.#sendAll(tables);
    } catch (error) {
      if (!(error instanceof ServerError) || error.failure !== 'gone' || this.#hasStartedOver) throw error;
      // The server has lost its runs: it gets this one again.
      this.#hasStartedOver = true;
      this.#cursor = newCursor(this.#cursor.uri, this.#cursor.startMs);
      this.#options.say('mlflow no longer has this run: it is sent again from its beginning');
      await this.#sendAll(tables);
    }
  }

  /** After the last `send`: what has become of the run. */
  async end(end: RunEnd): Promise<void> {
    const { client, store } = this.#options;
    const status = STATUS[end];
    const { run_id: runId } = await this.#run();
    const { seconds } = this.#cursor.metrics.walk;
    const summary = await store.read('summary.json');
    if (end === 'finished' && summary !== undefined) {
      const text = new TextDecoder().decode(summary);
      await this.#put('summary.json', text);
      const { weightsSha256 } = JSON.parse(text) as { readonly weightsSha256?: string }; // the run has just written it
      const tags = [{ key: 'weights_sha256', value: weightsSha256 ?? '' }];
      await client.logBatch(runId, { tags });
    }
    await client.setStatus(runId, status, Math.round(this.#cursor.startMs + seconds * 1000));
    await this.#save({ status });
  }

  async #sendAll(tables: boolean): Promise<void> {
    const { run_id: runId } = await this.#run();
    if (!this.#cursor.isDescribed) await this.#describe(runId);
    if (this.#cursor.status !== 'RUNNING') {
      await this.#options.client.setStatus(runId, 'RUNNING');
      await this.#save({ status: 'RUNNING' });
    }
    await this.#sendMetrics(runId);
    if (tables && !this.#cursor.withoutArtifacts) await this.#sendTables(runId);
  }

  /** The run at the server, made where there is none. */
  async #run(): Promise<MlflowRun> {
    const { run, id, startMs } = this.#cursor;
    if (run !== undefined) return run;
    const { client, store, name } = this.#options;
    const experiment = await client.experiment();
    const tag = { key: 'rlvr_train.id', value: id };
    // Where its creation was asked for before, the answer may have been lost.
    const wasAsked = (await CURSOR_FILE.read(store))?.id === id;
    if (!wasAsked) await this.#save({});
    const found = wasAsked ? await client.findRun(experiment, tag) : undefined;
    const made = found ?? (await client.createRun(experiment, name, startMs, [tag, ...SOURCE]));
    await this.#save({ run: { run_id: made.run_id, artifact_uri: made.artifact_uri } });
    return made;
  }

  /** The config that the run began with: parameters cannot be changed. */
  async #describe(runId: string): Promise<void> {
    const { store, client } = this.#options;
    const config = await recordedTree(store);
    const entries = config === undefined ? [] : Object.entries(flatTree(config));
    const params = entries.map(([key, value]): MlflowPair => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return { key: nameOf(key), value: text.slice(0, MOST_PARAMETER) };
    });
    for (let at = 0; at < params.length; at += MOST_PAIRS) {
      await client.logBatch(runId, { params: params.slice(at, at + MOST_PAIRS) });
    }
    for (const file of ['config.yaml', 'fingerprint.json']) {
      const bytes = await store.read(file);
      if (bytes !== undefined) await this.#put(file, new TextDecoder().decode(bytes));
    }
    await this.#save({ isDescribed: true });
  }

  async #sendMetrics(runId: string): Promise<void> {
    const { store, client } = this.#options;
    if (!(await isStill(store, METRICS, this.#cursor.metrics))) {
      await this.#save({ metrics: { ...LOG_BEGINNING, walk: BEGINNING }, passOver: this.#cursor.sent });
    }
    const { startMs, passOver, metrics: place } = this.#cursor;
    let [walk, sent]: [Walk, Walk] = [place.walk, this.#cursor.sent];
    let [metrics, tags]: [MlflowMetric[], MlflowPair[]] = [[], []];
    let end = place.bytes;
    const flush = async (): Promise<void> => {
      if (end === this.#cursor.metrics.bytes) return;
      if (metrics.length + tags.length > 0) await client.logBatch(runId, { metrics, tags });
      await this.#save({ metrics: { ...(await placeAt(store, METRICS, end)), walk }, sent });
      [metrics, tags] = [[], []];
    };
    for await (const line of linesAfter(store, METRICS, place)) {
      const read = readLine(line.record, walk);
      const news = entriesOf(read, startMs);
      const isSent = read.isOfStep && !isBehind({ ...read.walk, step: Number(line.record.step) }, passOver);
      if (!isSent) {
        const isFull =
          metrics.length + news.metrics.length > MOST_METRICS || tags.length + news.tags.length > MOST_PAIRS;
        if (isFull) await flush();
        metrics.push(...news.metrics);
        tags = [...tags.filter(({ key }) => news.tags.every((tag) => tag.key !== key)), ...news.tags];
      }
      walk = read.walk;
      end = line.end;
      if (read.endsStep && isBehind(walk, sent)) sent = walk;
    }
    await flush();
  }

  async #sendTables(runId: string): Promise<void> {
    const { store } = this.#options;
    if (!(await isStill(store, COMPLETIONS, this.#cursor.completions))) {
      await this.#save({ completions: { ...LOG_BEGINNING, walk: TABLES_BEGINNING } });
    }
    const kinds = stageKinds(await recordedTree(store));
    let walk: TableWalk = this.#cursor.completions.walk;
    let name: string | undefined;
    let lines: JsonObject[] = [];
    for await (const line of linesAfter(store, COMPLETIONS, this.#cursor.completions)) {
      const next = walkOn(line.record, walk);
      const itsName = tableName(next, kinds);
      if (name !== undefined && itsName !== name) {
        if (isLater(walk, this.#cursor.tabled)) await this.#putTable(runId, name, lines);
        const tabled = isLater(walk, this.#cursor.tabled) ? walk : this.#cursor.tabled;
        await this.#save({ completions: { ...(await placeAt(store, COMPLETIONS, line.begin)), walk }, tabled });
        lines = [];
      }
      name = itsName;
      lines.push(line.record);
      walk = next;
    }
    if (name !== undefined && isLater(walk, this.#cursor.tabled)) await this.#putTable(runId, name, lines);
  }

  async #putTable(runId: string, name: string, lines: readonly JsonObject[]): Promise<void> {
    await this.#put(name, tableText(lines));
    const { tables, withoutArtifacts } = this.#cursor;
    if (withoutArtifacts || tables.at(-1) === name) return;
    const newest = [...tables.filter((other) => other !== name), name].slice(-MOST_TABLES);
    await this.#options.client.logBatch(runId, { tags: [tablesTag(newest)] });
    await this.#save({ tables: newest });
  }

  /** A server that keeps no artifacts still gets the rest. */
  async #put(path: string, text: string): Promise<void> {
    if (this.#cursor.withoutArtifacts) return;
    const { client, say } = this.#options;
    try {
      if (await client.putArtifact(await this.#run(), path, text)) return;
      say(
        'mlflow keeps its artifacts elsewhere (--no-serve-artifacts): it gets parameters and metrics, no completions',
      );
    } catch (error) {
      if (!(error instanceof ServerError) || error.failure !== 'refused') throw error;
      say(`mlflow takes no artifacts (${error.message}): it gets parameters and metrics, no completions`);
    }
    await this.#save({ withoutArtifacts: true });
  }

  async #save(change: Partial<Cursor>): Promise<void> {
    this.#cursor = { ...this.#cursor, ...change };
    await CURSOR_FILE.write(this.#options.store, this.#cursor);
  }
}

const SOURCE: readonly MlflowPair[] = [
  { key: 'mlflow.source.name', value: 'rlvr-train' },
  { key: 'mlflow.source.type', value: 'LOCAL' },
];

function isLater(a: TableWalk, b: TableWalk): boolean {
  return a.stages > b.stages || (a.stages === b.stages && a.step > b.step);
}

/** [stages] sft or grpo. */
function stageKinds(config: JsonObject | undefined): string[] {
  const { stages } = config ?? {};
  return Array.isArray(stages) ? stages.map((stage) => String((stage as JsonObject).stage)) : []; // as it was resolved
}

const MOST_TAG = 4_000;

/**
 * A line of metrics.jsonl as MLflow has it. A line that is sent twice must be the same to the byte, so that the server keeps
 * it once: its time is that of the run's start plus that of all steps up to it.
 *
 * @param startMs  of the run, since 1970
 */
function entriesOf(
  { walk, step, numbers, diagnosis }: ReadLine,
  startMs: number,
): { readonly metrics: readonly MlflowMetric[]; readonly tags: readonly MlflowPair[] } {
  // The server keeps one of equal values of a step and a time: batches are a millisecond apart.
  const timestamp = Math.round(startMs + walk.seconds * 1000) + walk.batches;
  const metrics = numbers.map(([key, value]) => ({ key: nameOf(key), value, timestamp, step }));
  if (diagnosis === undefined) return { metrics, tags: [] };
  const value = `step ${step - walk.before}: ${diagnosis.message}`.slice(0, MOST_TAG);
  return { metrics, tags: [{ key: nameOf(`diagnosis.${diagnosis.code}`), value }] };
}

/** As transformers writes them: what MLflow does not take in a name becomes `_`, as in `eval_mean_4`. */
function nameOf(key: string): string {
  return key.replace(/[^0-9A-Za-z_\-. :/]/g, '_').slice(0, 250);
}

/** Steps that share a table of completions, so that no file grows after it was sent. */
const STEPS_A_TABLE = 50;

/** The file that a line belongs to. @param stages  kinds of the config's stages */
function tableName({ stages: ordinal, step }: TableWalk, stages: readonly string[]): string {
  const grpo = stages.flatMap((stage, index) => (stage === 'grpo' ? [index + 1] : []));
  const last = Math.ceil(step / STEPS_A_TABLE) * STEPS_A_TABLE;
  const digits = (number: number): string => String(number).padStart(6, '0');
  const place = `${grpo[ordinal - 1] ?? ordinal}-grpo`;
  return `completions/${place}/steps-${digits(last - STEPS_A_TABLE + 1)}-${digits(last)}.json`;
}

/** What MLflow's `log_table` writes, and its pages read. */
function tableText(lines: readonly ReadCompletionLine[]): string {
  const rows = lines.map(tableRow);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const data: JsonValue = rows.map((row) => columns.map((column) => row[column] ?? null));
  return JSON.stringify({ columns, data });
}

/** Longest value of a tag that servers of any age take. */
const MOST_TABLES_TAG = 4_500;

/** The tag by which MLflow knows its tables: as many of the newest as it holds. */
function tablesTag(names: readonly string[]): { readonly key: string; readonly value: string } {
  const entries: string[] = [];
  let length = 2;
  for (const path of [...names].reverse()) {
    const entry = JSON.stringify({ path, type: 'table' });
    length += entry.length + 1;
    if (length > MOST_TABLES_TAG) break;
    entries.unshift(entry);
  }
  return { key: 'mlflow.loggedArtifacts', value: `[${entries.join(',')}]` };
}
