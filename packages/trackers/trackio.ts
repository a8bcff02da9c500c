/**
 * Trackio, the tracker of Hugging Face, on a machine of the user: what `trackio show` serves.
 *
 * Whatever is sent has an id made of its place in the run, and the server keeps the first of each id. So a log that a resume
 * has cut back is sent from its beginning, and nothing is there twice.
 *
 * @see https://huggingface.co/docs/trackio/self_hosted_server
 */
import { z } from 'zod';
import { ConfigError } from '../../src/errors.ts';
import { flatTree } from '../../src/run/flat_config.ts';
import type { JsonObject } from '../../src/run/json.ts';
import { recordedTree } from '../../src/run/recorded_config.ts';
import type { Store } from '../../src/run/store/store.ts';
import { type ServerAddress, serverAddress, withoutSecrets } from '../http/address.ts';
import { TABLES_BEGINNING, type TableWalk, tableRow, tableWalkSchema, walkOn } from './completions_walk.ts';
import { cursorFile, isStill, LOG_BEGINNING, linesAfter, logPlace, placeAt } from './log_place.ts';
import { BEGINNING, type ReadLine, readLine, type Walk } from './metrics_walk.ts';
import { type Mirror, type MirrorOptions, type MirrorServer, mirrored } from './mirrored.ts';
import type { Environment } from './sent_tracker.ts';
import { TrackerServer } from './tracker_server.ts';
import { walkSchema } from './walk_schema.ts';

/** Entries in a request. */
const MOST_ENTRIES = 100;
const LEVELS: Readonly<Record<string, string>> = { note: 'info', warning: 'warn', stop: 'error' };
const METRICS = 'metrics.jsonl';
const COMPLETIONS = 'completions.jsonl';

/** @throws ConfigError */
export function trackioServer(env: Environment): MirrorServer {
  const { uri, token, authorization } = placeOf(env);
  const headers = { ...(authorization && { authorization }), ...(token && { 'x-trackio-write-token': token }) };
  const server = new TrackerServer({ tracker: 'trackio', uri, headers });
  const project = env.TRACKIO_PROJECT || 'huggingface'; // as transformers does, and TRL with it
  const open = (options: MirrorOptions) => TrackioMirror.open({ ...options, uri, project, server });
  return { tracker: 'trackio', uri, open, abort: () => server.abort() };
}

export const TRACKIO = mirrored(trackioServer);

/** The address as `trackio show` prints it may hold the token that allows to write. */
function placeOf(
  env: Environment,
): Pick<Partial<ServerAddress>, 'authorization'> & { readonly uri: string; readonly token: string | undefined } {
  const given = env.TRACKIO_SERVER_URL || 'http://127.0.0.1:7860';
  const { uri, query, authorization } = serverAddress(given) ?? {};
  if (uri !== undefined) return { uri, authorization, token: query?.get('write_token') || env.TRACKIO_WRITE_TOKEN };
  const shown = withoutSecrets(given);
  const rule = 'not the address of a server; start one with "trackio show" and give the address that it prints';
  throw new ConfigError('bad-tracker', `TRACKIO_SERVER_URL: ${JSON.stringify(shown)} — ${rule}.`, { uri: shown });
}

/** `trackio.json` of a run directory: which run of which server it is, and how far the logs are there. */
const cursorSchema = z.object({
  uri: z.string(),
  project: z.string(),
  /** The run's, there. */
  id: z.string(),
  startMs: z.number(),
  /** `before`: the steps before each stage that has completions, as far as the log was read. */
  metrics: z.object({ ...logPlace, walk: walkSchema, before: z.array(z.number()) }),
  completions: z.object({ ...logPlace, walk: tableWalkSchema }),
});
type Cursor = z.infer<typeof cursorSchema>;
const CURSOR_FILE = cursorFile('trackio.json', cursorSchema);

const NOTHING_SENT = {
  metrics: { ...LOG_BEGINNING, walk: BEGINNING, before: [] },
  completions: { ...LOG_BEGINNING, walk: TABLES_BEGINNING },
};

const runsAnswer = z.object({ data: z.array(z.object({ id: z.string().nullish() })) });
const doneAnswer = z.object({ data: z.null() });

type TrackioOptions = MirrorOptions & Pick<Cursor, 'uri' | 'project'> & { readonly server: TrackerServer };

class TrackioMirror implements Mirror {
  readonly #options: TrackioOptions;
  #cursor: Cursor;

  private constructor(options: TrackioOptions, cursor: Cursor) {
    this.#options = options;
    this.#cursor = cursor;
  }

  /** Sends everything again where the cursor is of another place, or the server no longer has the run. */
  static async open(options: TrackioOptions): Promise<TrackioMirror> {
    const { store, uri, project, server, startMs, say } = options;
    const known = await CURSOR_FILE.read(store);
    const isKnown = known?.uri === uri && known.project === project;
    const runs = await server.ask(runsAnswer, 'POST', '/api/get_runs_for_project', { project });
    if (isKnown && runs.data.some(({ id }) => id === known.id)) return new TrackioMirror(options, known);
    if (isKnown && known.metrics.bytes > 0) say('trackio no longer has this run: it is sent again from its beginning');
    const id = known?.id ?? crypto.randomUUID();
    return new TrackioMirror(options, { uri, project, id, startMs: known?.startMs ?? startMs, ...NOTHING_SENT });
  }

  get page(): string {
    return `${this.#cursor.uri}/?project=${encodeURIComponent(this.#cursor.project)}`;
  }

  async send({ tables }: { readonly tables: boolean }): Promise<void> {
    await this.#sendMetrics();
    if (tables) await this.#sendCompletions();
  }

  /** A run there has no state that it could be in. */
  async end(): Promise<void> {}

  async #sendMetrics(): Promise<void> {
    const { store } = this.#options;
    const { metrics } = (await isStill(store, METRICS, this.#cursor.metrics)) ? this.#cursor : NOTHING_SENT;
    let { walk, before, bytes } = metrics;
    let [logs, alerts]: [JsonObject[], JsonObject[]] = [[], []];
    const flush = async (): Promise<void> => {
      if (logs.length > 0) await this.#ask('bulk_log', { logs });
      if (alerts.length > 0) await this.#ask('bulk_alert', { alerts });
      [logs, alerts] = [[], []];
      await this.#save({ metrics: { ...(await placeAt(store, METRICS, bytes)), walk, before } });
    };
    for await (const { record, end } of linesAfter(store, METRICS, metrics)) {
      const read = readLine(record, walk);
      if (read.walk.stages > walk.stages && read.walk.stage === 'grpo') before = [...before, read.walk.before];
      const place = this.#place(read.step, `${read.walk.stages}/${record.step}`);
      if (read.diagnosis !== undefined) alerts.push(this.#alert(read, place));
      else {
        const what = record.batch === undefined ? String(record.evaluation ?? 'step') : `batch ${read.walk.batches}`;
        const log_id = `${place.log_id}/${what}`;
        logs.push({ ...place, ...(bytes === 0 && (await configOf(store))), log_id, metrics: metricsOf(read) });
      }
      [walk, bytes] = [read.walk, end];
      if (logs.length + alerts.length >= MOST_ENTRIES) await flush();
    }
    if (bytes > metrics.bytes || metrics.bytes !== this.#cursor.metrics.bytes) await flush();
  }

  /** A step's are one table, which is sent whole: when its metrics are there, which come after them in the logs. */
  async #sendCompletions(): Promise<void> {
    const { store } = this.#options;
    const { metrics } = this.#cursor;
    const { completions } = (await isStill(store, COMPLETIONS, this.#cursor.completions)) ? this.#cursor : NOTHING_SENT;
    let { walk, bytes } = completions;
    let rows: JsonObject[] = [];
    const flush = async (): Promise<void> => {
      if (rows.length === 0) return;
      const place = this.#place((metrics.before[walk.stages - 1] ?? 0) + walk.step, `${walk.stages}/${walk.step}`);
      const table = { _type: 'trackio.table', _value: rows };
      const log = { ...place, log_id: `${place.log_id}/completions`, metrics: { completions: table } };
      await this.#ask('bulk_log', { logs: [log] });
      await this.#save({ completions: { ...(await placeAt(store, COMPLETIONS, bytes)), walk } });
      rows = [];
    };
    for await (const { record, end } of linesAfter(store, COMPLETIONS, completions)) {
      const next = walkOn(record, walk);
      if (next.step !== walk.step || next.stages !== walk.stages) await flush();
      if (!isWhole(next, metrics)) return;
      rows.push(tableRow(record));
      [walk, bytes] = [next, end];
    }
    await flush();
  }

  #place(step: number, id: string) {
    const { project, id: run_id } = this.#cursor;
    return { project, run: this.#options.name, run_id, step, log_id: `${run_id}/${id}` };
  }

  #alert({ diagnosis, walk }: ReadLine, { log_id, ...place }: { readonly log_id: string }): JsonObject {
    const { code = '', level = '', message: text = '' } = diagnosis ?? {};
    const timestamp = new Date(this.#cursor.startMs + walk.seconds * 1000).toISOString();
    const alert = { title: code, text, level: LEVELS[level] ?? 'info', timestamp };
    return { ...place, ...alert, alert_id: `${log_id}/${code}` };
  }

  async #ask(name: string, body: JsonObject): Promise<void> {
    await this.#options.server.ask(doneAnswer, 'POST', `/api/${name}`, { ...body, hf_token: null });
  }

  async #save(change: Partial<Cursor>): Promise<void> {
    this.#cursor = { ...this.#cursor, ...change };
    await CURSOR_FILE.write(this.#options.store, this.#cursor);
  }
}

async function configOf(store: Store): Promise<JsonObject> {
  const config = await recordedTree(store);
  return config === undefined ? {} : { config: flatTree(config) as JsonObject };
}

/** Under the names of transformers' callback: `train/reward`, `eval/accuracy`. */
function metricsOf({ numbers }: ReadLine): JsonObject {
  const named = numbers.map(([key, value]) => [
    key.replace(/^(eval_)?/, (eval_) => (eval_ ? 'eval/' : 'train/')),
    value,
  ]);
  return Object.fromEntries(named);
}

/** Whether the log of metrics was read to the end of a step. */
function isWhole({ stages, step }: TableWalk, { before, walk }: { before: readonly number[]; walk: Walk }): boolean {
  return before.length > stages || (before.length === stages && (walk.stage !== 'grpo' || walk.step >= step));
}
