/** A run directory as records: finished, unfinished, failed, or under way. What is not there yet is undefined. */
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { CheckpointError } from '../errors.ts';
import { type Fingerprint, readFingerprint } from '../run/fingerprint.ts';
import { type JsonObject, parseJsonObject } from '../run/json.ts';
import type { Store } from '../run/store.ts';

const NEWLINE = 0x0a;

const taskSchema = z.union([z.string(), z.object({ name: z.string() }).loose()]);

/** What the page says of the config; anything else of it is shown as text. */
const outlineSchema = z.object({
  task: taskSchema.optional(),
  tasks: z.array(taskSchema).optional(),
  stages: z.array(z.object({ stage: z.string(), max_steps: z.number() })),
});

/** The part of summary.json that the page shows. */
const summarySchema = z.object({
  wallSeconds: z.number(),
  split: z.record(z.string(), z.number()),
  tokensPerSecond: z.number(),
  weightsSha256: z.string(),
  seed: z.number(),
  parameters: z.number(),
});

export interface RunRecords {
  readonly configYaml: string;
  readonly outline: Readonly<z.infer<typeof outlineSchema>>;
  readonly fingerprint: Fingerprint | undefined;
  /** Only of a run that has finished. */
  readonly summary: Readonly<z.infer<typeof summarySchema>> | undefined;
  /** Why a run broke off, in the words that the user saw. */
  readonly failure: string | undefined;
  /** Lines of metrics.jsonl and completions.jsonl, in order. */
  readonly metrics: readonly JsonObject[];
  readonly completions: readonly JsonObject[];
}

/** @throws CheckpointError `no-run` where the directory holds none, `run-malformed` where its config is not one */
export async function readRun(store: Store): Promise<RunRecords> {
  const config = await store.read('config.yaml');
  if (config === undefined) {
    throw new CheckpointError('no-run', 'holds no run (no config.yaml). Give the directory that a training printed.');
  }
  const configYaml = new TextDecoder().decode(config);
  const outline = outlineSchema.safeParse(parseDocument(configYaml).toJS());
  if (!outline.success) {
    const reason = outline.error.issues[0]?.message;
    throw new CheckpointError('run-malformed', `config.yaml is not one that a training wrote (${reason}). Restore it.`);
  }
  const object = async (file: string): Promise<JsonObject | undefined> => {
    const bytes = await store.read(file);
    return bytes && parseJsonObject(bytes);
  };
  const failure = await object('failure.json');
  return {
    configYaml,
    outline: outline.data,
    fingerprint: await readFingerprint(store),
    summary: summarySchema.safeParse(await object('summary.json')).data,
    failure: typeof failure?.message === 'string' ? failure.message : undefined,
    metrics: await readLines(store, 'metrics.jsonl'),
    completions: await readLines(store, 'completions.jsonl'),
  };
}

/** The whole lines of a log. A run under way, or killed, may have written half of the last one. */
async function readLines(store: Store, path: string): Promise<JsonObject[]> {
  const bytes = (await store.read(path)) ?? new Uint8Array(0);
  const records: JsonObject[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    const record = parseJsonObject(bytes.subarray(begin, end));
    if (record === undefined) {
      const place = `${path}:${records.length + 1}`;
      throw new CheckpointError('log-malformed', `${place}  not a JSON object. Remove the line, or restore the file.`);
    }
    records.push(record);
    begin = end + 1;
  }
  return records;
}
