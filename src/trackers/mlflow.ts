/** MLflow as a tracker: kept up by a run while it trains, or caught up later. */
import { RlvrError } from '../errors.ts';
import { parseJsonObject } from '../run/json.ts';
import type { Store } from '../run/store/store.ts';
import { MlflowClient, MlflowError } from './mlflow_client.ts';
import { liveMlflow } from './mlflow_live.ts';
import { MlflowMirror } from './mlflow_mirror.ts';
import { mlflowPlace } from './mlflow_place.ts';
import type { Environment, SentRun, SentTracker } from './sent_tracker.ts';

export const MLFLOW: SentTracker = {
  live: (run, env) => liveMlflow({ ...run, place: mlflowPlace(env) }),
  catchUp,
};

async function catchUp({ store, name }: SentRun, env: Environment, say: (message: string) => void): Promise<string> {
  const place = mlflowPlace(env);
  try {
    const startMs = Date.now() - (await secondsOf(store)) * 1000;
    const mirror = await MlflowMirror.open({ store, place, client: new MlflowClient(place), name, startMs, say });
    await patiently(() => mirror.send({ tables: true }));
    const isFinished = await store.exists('summary.json');
    const hasFailed = await store.exists('failure.json');
    await mirror.end(isFinished ? 'FINISHED' : hasFailed ? 'FAILED' : 'KILLED');
    return mirror.page ?? `${place.uri} has this run`;
  } catch (error) {
    if (!(error instanceof MlflowError)) throw error;
    const remedy =
      'see that it runs (MLFLOW_TRACKING_URI names it), then give this command again: it continues where it was';
    throw new RlvrError(error.code, `mlflow at ${place.uri} ${error.message} — ${remedy}.`);
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
async function secondsOf(store: Store): Promise<number> {
  const bytes = await store.read('summary.json');
  const summary = bytes && (parseJsonObject(bytes) ?? {});
  return typeof summary?.wallSeconds === 'number' ? summary.wallSeconds : 0;
}
