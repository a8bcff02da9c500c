/** MLflow as a tracker: kept up by a run while it trains, or caught up later. */
import { ConfigError } from '../../src/errors.ts';
import type { Tracker } from '../../src/run/tracker.ts';
import { basic, serverAddress, withoutSecrets } from '../http/address.ts';
import { LiveMirror, type LiveMirrorOptions, type MirrorServer, mirrored } from './mirrored.ts';
import { MlflowClient, type MlflowPlace } from './mlflow_client.ts';
import { MlflowMirror } from './mlflow_mirror.ts';
import type { Environment } from './sent_tracker.ts';

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

/** What `mlflow server` listens on. */
const DEFAULT_URI = 'http://127.0.0.1:5000';

/** @throws ConfigError where the address is none of a server */
export function mlflowPlace(env: Environment): MlflowPlace {
  const given = env.MLFLOW_TRACKING_URI || DEFAULT_URI;
  const address = serverAddress(given);
  if (address === undefined) {
    const rule = `not the address of a server; start one with "mlflow server" and give ${DEFAULT_URI}`;
    const uri = withoutSecrets(given);
    throw new ConfigError('bad-tracker', `MLFLOW_TRACKING_URI: ${JSON.stringify(uri)} — ${rule}.`, { uri });
  }
  const authorization = authorizationOf(env) ?? address.authorization;
  return {
    uri: address.uri,
    experiment: env.MLFLOW_EXPERIMENT_NAME || 'Default',
    authorization,
  };
}

function authorizationOf(env: Environment): string | undefined {
  const { MLFLOW_TRACKING_TOKEN: token, MLFLOW_TRACKING_USERNAME: user, MLFLOW_TRACKING_PASSWORD: password = '' } = env;
  if (user) return basic(user, password);
  return token ? `Bearer ${token}` : undefined;
}
