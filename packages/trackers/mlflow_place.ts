/** Where MLflow is: the variables of the environment that its own client reads. */
import { ConfigError } from '../../src/errors.ts';
import { basic, serverAddress, withoutSecrets } from '../http/address.ts';
import type { MlflowPlace } from './mlflow_client.ts';
import type { Environment } from './sent_tracker.ts';

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
    ...(authorization !== undefined && { authorization }),
  };
}

function authorizationOf(env: Environment): string | undefined {
  const { MLFLOW_TRACKING_TOKEN: token, MLFLOW_TRACKING_USERNAME: user, MLFLOW_TRACKING_PASSWORD: password = '' } = env;
  if (user) return basic(user, password);
  return token ? `Bearer ${token}` : undefined;
}
