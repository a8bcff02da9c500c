/** Connects to the NATS server of a fleet. The clients are optional packages, loaded when they are needed. */
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { FleetError } from '../../../src/errors.ts';
import type { LearnerBus, WorkerBus } from '../bus.ts';
import { MESSAGE_BYTES } from '../protocol.ts';
import { inboxPrefix, type Role } from './nats_names.ts';

/** Direct reads of messages need it. */
const LEAST_VERSION = [2, 9, 10] as const;
/** Milliseconds between two attempts to connect. */
const RETRY_MS = 500;
const TIMEOUT_MS = 5000;
const PACKAGES = '@nats-io/transport-node@3.4.0 @nats-io/jetstream@3.4.0';

/** An address of a server, in parts; `shown` has no secret in it. */
interface ServerPlace {
  readonly shown: string;
  readonly options: NodeConnectionOptions;
}

/** @throws FleetError where no server is there, or it is not fit for a fleet */
export async function connectLearner(url: string): Promise<LearnerBus> {
  const { options, shown } = serverPlace(url);
  const { connect } = await packageOf(() => import('@nats-io/transport-node'));
  const { jetstreamManager } = await packageOf(() => import('@nats-io/jetstream'));
  const { NatsLearnerBus } = await import('./nats_learner_bus.ts');
  const connection = await connect({ ...options, ...usual('learner') }).catch((error: unknown) => {
    throw unreachable(shown, error);
  });
  try {
    requireFit(shown, connection);
    return new NatsLearnerBus(connection, await jetstreamManager(connection));
  } catch (error) {
    await connection.close();
    if (error instanceof FleetError) throw error;
    const rule = 'has no JetStream, or this user may not use it; start it with -js, or connect as the user learner';
    throw new FleetError('fleet-no-jetstream', `--fleet: ${shown} ${rule}.`);
  }
}

/**
 * Waits for the server, where it is not up yet.
 * @param say  called where it has to wait
 * @throws FleetError where the server refuses it
 */
export async function connectWorker(
  url: string,
  say: (line: string) => void,
  signal: { readonly aborted: boolean },
): Promise<WorkerBus | undefined> {
  const { options, shown } = serverPlace(url);
  const role = options.user === 'visitor' ? 'visitor' : 'worker';
  const { connect } = await packageOf(() => import('@nats-io/transport-node'));
  const { natsWorkerBus } = await import('./nats_worker_bus.ts');
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const connection = await connect({ ...options, ...usual(role) });
      requireFit(shown, connection);
      say(`connected to ${shown}`);
      return natsWorkerBus(connection, role);
    } catch (error) {
      const failure = error instanceof FleetError ? error : unreachable(shown, error);
      if (failure.code !== 'fleet-no-server') throw failure;
      if (isFirst) say(`no server at ${shown} yet; waiting for it`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return undefined;
}

function usual(role: Role): NodeConnectionOptions {
  return {
    name: `rlvr-train ${role}`,
    inboxPrefix: inboxPrefix(role),
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    timeout: TIMEOUT_MS,
  };
}

/** @throws FleetError for what is no address of a NATS server */
export function serverPlace(given: string): ServerPlace {
  const shown = given.replace(/\/\/[^/?#]*@/, '//');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '') {
    const rule = 'no address of a NATS server; give one as nats://host:4222, or tls://host:4222';
    throw new FleetError('fleet-address', `--fleet: ${JSON.stringify(shown)} — ${rule}.`);
  }
  const [user, pass] = [url.username, url.password].map(decodeURIComponent);
  const who = pass !== '' ? { user, pass } : user !== '' ? { token: user } : {};
  const options = { servers: url.host, ...who, ...(url.protocol === 'tls:' && { tls: {} }) };
  return { shown: `${url.protocol}//${url.host}`, options };
}

/** @throws FleetError where the server is too old, or takes too small messages */
function requireFit(shown: string, { info }: NatsConnection): void {
  const { version = '0', max_payload: most = 0 } = info ?? {};
  const numbers = version.split(/[.-]/, LEAST_VERSION.length).map(Number);
  const differs = LEAST_VERSION.findIndex((least, i) => numbers[i] !== least);
  if (differs >= 0 && !(numbers[differs] > LEAST_VERSION[differs])) {
    throw new FleetError(
      'fleet-old-server',
      `--fleet: ${shown} is nats-server ${version}; use ${LEAST_VERSION.join('.')} or later.`,
    );
  }
  if (most < MESSAGE_BYTES) {
    const rule = `takes messages of ${most} bytes, and a fleet sends up to ${MESSAGE_BYTES}`;
    throw new FleetError('fleet-small-messages', `--fleet: ${shown} ${rule}; raise its max_payload to 1MB.`);
  }
}

function unreachable(shown: string, error: unknown): FleetError {
  const { name, message: said } = error as Error;
  const message = said.replace(/\s+/g, ' ');
  if (/does not support .?tls/i.test(message)) {
    const rule = 'offers no TLS; give it as nats://, or set the server up for TLS (docs/fleet_operations.md)';
    return new FleetError('fleet-no-tls', `--fleet: ${shown} ${rule}.`);
  }
  if (name === 'AuthorizationError' || /authorization|authentication/i.test(message)) {
    const rule =
      'refuses this user or password; give them as nats://user:password@host:4222, as fleet init printed them';
    return new FleetError('fleet-password', `--fleet: ${shown} ${rule}.`);
  }
  const remedy = 'start one with nats-server -js, or train with --workers 2, which does so';
  return new FleetError('fleet-no-server', `--fleet: no NATS server answers at ${shown} (${message}); ${remedy}.`);
}

async function packageOf<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    const rule = `a fleet needs packages that are not there; npm install ${PACKAGES}`;
    throw new FleetError('fleet-packages', `--fleet: ${rule}.`);
  }
}
