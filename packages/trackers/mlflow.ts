/** MLflow as a tracker: kept up by a run while it trains, or caught up later. */
import type { Tracker } from '../../src/run/tracker.ts';
import { LiveMirror, type LiveMirrorOptions, type MirrorServer, mirrored } from './mirrored.ts';
import { MlflowClient, type MlflowPlace } from './mlflow_client.ts';
import { MlflowMirror } from './mlflow_mirror.ts';
import { mlflowPlace } from './mlflow_place.ts';

export const MLFLOW = mirrored((env) => mlflowServer(mlflowPlace(env)));

/** How a run under way is kept up at an MLflow server. */
export interface LiveOptions extends Omit<LiveMirrorOptions, 'server'> {
  readonly place: MlflowPlace;
}

/** Sends a run to MLflow while it trains. */
export function liveMlflow({ place, ...run }: LiveOptions): Tracker {
  return new LiveMirror({ ...run, server: mlflowServer(place) });
}

function mlflowServer(place: MlflowPlace): MirrorServer {
  const client = new MlflowClient(place);
  return {
    tracker: 'mlflow',
    uri: place.uri,
    open: (options) => MlflowMirror.open({ ...options, place, client }),
    abort: () => client.abort(),
  };
}
