/**
 * A run directory that version 0.1.0 wrote, stopped within a batch: it opens, goes on to the bits that 0.1.0 ended with, and
 * what is saved of it is what was there. Its rollouts have labels, prompts of their own, credit by token, changed rewards and
 * log-probs from before the batch, and a method of it keeps rollouts of earlier steps.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { captureCheckpoint } from '../../../../src/run/checkpoint/capture.ts';
import { loadLatestCheckpoint } from '../../../../src/run/checkpoint/checkpoints.ts';
import { restoreCheckpoint } from '../../../../src/run/checkpoint/restore.ts';
import { readFingerprint } from '../../../../src/run/fingerprint/fingerprint.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import type { JsonObject } from '../../../../src/run/json.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { session } from '../../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { openRun, recordedConfig } from '../../../../test/support/everything.ts';
import { isTime } from '../../../../test/support/killed_runs.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { readRun } from '../../read_run.ts';
import { makeReport } from '../../report.ts';

interface Recorded {
  /** Text, but for tensors. */
  readonly files: Readonly<Record<string, string | { readonly base64: string }>>;
  /** What the same run was where nobody stopped it. */
  readonly end: { readonly sha256: string; readonly metrics: string; readonly completions: string };
}

const { files, end } = JSON.parse(
  gunzipSync(readFileSync(new URL('../../../../test/vectors/run_0.1.0.json.gz', import.meta.url))).toString(),
) as Recorded;

async function directory(): Promise<Store> {
  const store = memoryStore();
  for (const [path, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.base64, 'base64');
    await store.writeAtomic(path, bytes);
  }
  return store;
}

/** As the directory says. */
async function open(store: Store): Promise<TrainingRun> {
  const config = await recordedConfig(store);
  if (config === undefined) throw new Error('the directory has no config that can be read');
  const backend = await wasmBackend({ inline: true, fma: false, threads: 1 });
  return openRun(config, createTasks(config, { heldOutSample: 2 }), backend);
}

async function saved(store: Store) {
  const loaded = await loadLatestCheckpoint(store);
  if (loaded === undefined || loaded.damaged.length > 0) throw new Error('its checkpoint cannot be read');
  return loaded.checkpoint;
}

const partsOf = ({ state }: { readonly state: JsonObject }): JsonObject => state.parts as JsonObject;

const timeless = (lines: string): object[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => Object.fromEntries(Object.entries(JSON.parse(line)).filter(([name]) => !isTime(name))));

/** 0.1.0 logged the final evaluation before the last step. */
function finalBehindStep(lines: object[]): object[] {
  const final = lines.findIndex((line) => 'evaluation' in line && line.evaluation === 'final');
  return [...lines.slice(0, final), ...lines.slice(-1), ...lines.slice(final, -1)];
}

it('goes on to the same weights, metrics and completions', async () => {
  const store = await directory();
  const run = await open(store);
  const fingerprint = await fingerprintOf(run);
  expect(fingerprint.configHash).toBe((await readFingerprint(store))?.configHash);
  const options = { run, store, fingerprint, resume: true, force: true, shouldStop: () => false };
  const events: string[] = [];
  for await (const event of session(options)) {
    if (['step', 'resumed', 'finished'].includes(event.type)) events.push(event.type);
  }
  expect(events).toEqual(['resumed', 'step', 'finished']);
  const text = async (path: string): Promise<string> => new TextDecoder().decode(await store.read(path));
  expect(timeless(await text('metrics.jsonl'))).toEqual(finalBehindStep(timeless(end.metrics)));
  expect(await text('completions.jsonl')).toBe(end.completions);
  expect(await weightsSha256(run.engine.policy)).toBe(end.sha256);
});

it('is saved again as it was, rollouts to the byte', async () => {
  const store = await directory();
  const run = await open(store);
  const before = await saved(store);
  restoreCheckpoint(run, before);
  const after = await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0);
  expect(after.optimizer).toEqual(before.optimizer);
  expect(JSON.stringify(partsOf(after).buffer)).toBe(JSON.stringify(partsOf(before).buffer));
  const { rollouts } = run.journal.state.buffer?.groups[2] ?? { rollouts: [] };
  expect(rollouts.map(({ weightsVersion, turns }) => [weightsVersion, turns])).toEqual(
    rollouts.map(() => [undefined, undefined]),
  );
  await run.engine.policy.close();
});

it('is shown in a report, and beside other runs', async () => {
  const store = await directory();
  const { curves, newestStep } = await readRun(store);
  expect([curves.stages.length, newestStep.step]).toEqual([1, 3]);
  expect(await makeReport(store, 'earlier')).toContain('sort_digits');
});
