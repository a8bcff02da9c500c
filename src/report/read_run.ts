/** A run directory as records: finished, unfinished, failed, or under way. What is not there yet is undefined. */
import { z } from 'zod';
import { MOST_CHARACTERS, parseYaml } from '../config/yaml/yaml_document.ts';
import { CheckpointError } from '../errors.ts';
import { changedSteps } from '../run/checkpoint/setting_changes.ts';
import { type Fingerprint, readFingerprint } from '../run/fingerprint/fingerprint.ts';
import { type JsonObject, parseJsonObject } from '../run/json.ts';
import { logLines } from '../run/logs/log_lines.ts';
import type { Store } from '../run/store/store.ts';
import type { CompletionsLog } from './completion_groups.ts';
import { RunLog } from './run_log.ts';
import type { Curves } from './series.ts';

const taskSchema = z.union([z.string(), z.object({ name: z.string() }).loose()]);

/** What the page says of the config; anything else of it is shown as text. */
const outlineSchema = z.object({
  task: taskSchema.optional(),
  tasks: z.array(taskSchema).optional(),
  stages: z.array(z.object({ stage: z.string(), max_steps: z.number(), eval_steps: z.number().optional() })),
});

export type Outline = Readonly<z.infer<typeof outlineSchema>>;

/** The part of summary.json that the page shows. */
const summarySchema = z.object({
  wallSeconds: z.number(),
  split: z.record(z.string(), z.number()),
  tokensPerSecond: z.number(),
  weightsSha256: z.string(),
  seed: z.number(),
  parameters: z.number(),
  /** Absent in older runs. */
  best: z
    .object({ stage: z.string(), step: z.number(), metric: z.string(), metrics: z.record(z.string(), z.number()) })
    .nullable()
    .optional(),
  model: z.enum(['best', 'last']).optional(),
});

export interface RunRecords {
  readonly configYaml: string;
  readonly outline: Outline;
  readonly fingerprint: Fingerprint | undefined;
  /** Only of a run that has finished. */
  readonly summary: Readonly<z.infer<typeof summarySchema>> | undefined;
  /** Why a run broke off, in the words that the user saw. */
  readonly failure: string | undefined;
  /** Curves of metrics.jsonl. */
  readonly curves: Curves;
  /** The lines of its evaluations, in order. */
  readonly evaluations: readonly JsonObject[];
  /** The run's progress: its completions are written before the metrics of their step. */
  readonly newestStep: { readonly stage: number; readonly step: number };
  /** Lines of completions.jsonl, in order, read again with each call: they may be more than memory holds. */
  readonly completions: CompletionsLog;
}

/**
 * What the run was asked to do.
 * @throws CheckpointError `no-run` where the directory holds none, `run-malformed` where its config is not one
 */
export async function readOutline(store: Store): Promise<Pick<RunRecords, 'configYaml' | 'outline'>> {
  const config = await store.read('config.yaml');
  if (config === undefined) {
    throw new CheckpointError('no-run', 'holds no run (no config.yaml). Give the directory that a training printed.');
  }
  const configYaml = new TextDecoder().decode(config);
  const outline = outlineSchema.safeParse(yamlTree(configYaml));
  if (!outline.success) throw malformedConfig(outline.error.issues[0]?.message);
  const steps = await changedSteps(store);
  const stages = outline.data.stages.map((stage, i, all) =>
    steps !== undefined && i === all.length - 1 ? { ...stage, max_steps: steps } : stage,
  );
  return { configYaml, outline: { ...outline.data, stages } };
}

/**
 * @param log  what was read of the run's metrics before: only what came since is read
 * @throws CheckpointError as `readOutline`, and where a log is damaged
 */
export async function readRun(store: Store, log = new RunLog(store)): Promise<RunRecords> {
  const outline = await readOutline(store);
  await log.read(outline.outline.stages);
  const object = async (file: string): Promise<JsonObject | undefined> => {
    const bytes = await store.read(file);
    return bytes && parseJsonObject(bytes);
  };
  const [failure, summary] = [await object('failure.json'), await object('summary.json')];
  const fingerprint = await readFingerprint(store);
  const curves = log.curves();
  return {
    ...outline,
    fingerprint,
    summary: summarySchema.safeParse(summary).data,
    failure: typeof failure?.message === 'string' ? failure.message : undefined,
    curves,
    evaluations: log.evaluations,
    newestStep: { stage: curves.stages.findLastIndex(({ steps }) => steps.length > 0), step: log.newestStep },
    completions: (range) => logLines(store, 'completions.jsonl', range),
  };
}

/** A config that somebody edited may be no YAML, or refer to an anchor that it does not have. */
function yamlTree(text: string): unknown {
  if (text.length > MOST_CHARACTERS) throw malformedConfig('more than 1 MB');
  const parsed = parseYaml(text);
  if ('mistake' in parsed) throw malformedConfig(`line ${parsed.mistake.line}: ${parsed.mistake.rule}`);
  try {
    return parsed.document.toJS();
  } catch (error) {
    throw malformedConfig(error instanceof Error ? error.message : String(error));
  }
}

function malformedConfig(reason: string | undefined): CheckpointError {
  const [line] = (reason ?? '').split('\n');
  return new CheckpointError('run-malformed', `config.yaml is not one that a training wrote (${line}). Restore it.`);
}
