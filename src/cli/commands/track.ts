/** `rlvr-train track RUN`: sends to MLflow what it does not have of a run. */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { CheckpointError, RlvrError } from '../../errors.ts';
import { printable } from '../../format.ts';
import { parseJsonObject } from '../../run/json.ts';
import { fileStore } from '../../run/store/files.node.ts';
import { MlflowClient, MlflowError } from '../../trackers/mlflow_client.ts';
import { MlflowMirror } from '../../trackers/mlflow_mirror.ts';
import { print, printError } from '../display/output.ts';
import { command } from '../flags/command.ts';
import { text } from '../flags/flag.ts';
import { onlyRun } from '../mistaken_words.ts';
import { mlflowPlace } from '../runs/mlflow_place.ts';

export const TRACK = command({
  name: 'track',
  does: 'send to MLflow what it does not have of a run: report_to: mlflow does so while it trains',
  usage: '--run <directory>',
  explainsWords: true,
  flags: {
    run: text(
      '<directory>',
      'run directory, finished or not, e.g. runs/countdown (required); MLFLOW_TRACKING_URI is heeded',
    ),
  },
  examples: [{ words: 'track --run runs/countdown', does: 'send to MLflow what it does not have (docs/trackers.md)' }],
  run: (words, { run }) => trackCommand(onlyRun(words, run)),
});

/** @throws RlvrError where the directory holds no run, one is under way in it, or the server does not take it */
export async function trackCommand(directory: string): Promise<void> {
  if (!existsSync(join(directory, 'config.yaml'))) {
    const message = `${printable(directory)}  holds no run (no config.yaml); give the directory that a training printed.`;
    throw new CheckpointError('no-run', message, { directory });
  }
  const store = fileStore(directory);
  const place = mlflowPlace();
  // A run under way sends by itself; two that write the same cursor would not know of each other.
  const claim = await store.claim();
  try {
    const wallSeconds = await secondsOf(directory);
    const mirror = await MlflowMirror.open({
      store,
      place,
      client: new MlflowClient(place),
      name: basename(resolve(directory)),
      startMs: Date.now() - wallSeconds * 1000,
      say: printError,
    });
    await patiently(() => mirror.send({ tables: true }));
    const isFinished = await store.exists('summary.json');
    const hasFailed = await store.exists('failure.json');
    await mirror.end(isFinished ? 'FINISHED' : hasFailed ? 'FAILED' : 'KILLED');
    print(mirror.page === undefined ? `${place.uri} has this run` : mirror.page);
  } catch (error) {
    if (!(error instanceof MlflowError)) throw error;
    const remedy =
      'see that it runs (MLFLOW_TRACKING_URI names it), then give this command again: it goes on where it was';
    throw new RlvrError(error.code, `mlflow at ${place.uri} ${error.message} — ${remedy}.`);
  } finally {
    await claim.release();
  }
}

/** A server that is busy is asked again. */
async function patiently(send: () => Promise<void>): Promise<void> {
  for (const pauseMs of [1_000, 5_000, undefined]) {
    try {
      return await send();
    } catch (error) {
      const isPassing = error instanceof MlflowError && error.failure === 'passing';
      if (!isPassing || pauseMs === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** What a run took that has finished. */
async function secondsOf(directory: string): Promise<number> {
  const bytes = await fileStore(directory).read('summary.json');
  const summary = bytes && (parseJsonObject(bytes) ?? {});
  return typeof summary?.wallSeconds === 'number' ? summary.wallSeconds : 0;
}
