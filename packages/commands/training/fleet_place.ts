/** Where a fleet is: a server of the user's, or one of its own, and the workers that are started beside it. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { LearnerBus } from '../../fleet/bus.ts';
import type { LocalServer } from '../../fleet/nats/local_server.node.ts';
import { isLoopback } from '../../fleet/nats/loopback.ts';
import type { FleetFlags } from './train_options.ts';

/** A learner's connection, and the processes that were started for it. */
export interface FleetPlace {
  readonly bus: LearnerBus;
  /** The server is on another machine. */
  readonly isFar: boolean;
  /** Ends what was started. */
  close(): Promise<void>;
}

/** Connects to the server, or starts one of its own, and starts the workers. @throws FleetError */
export async function openFleetPlace({ fleet: url, workers = 0 }: FleetFlags): Promise<FleetPlace> {
  const { connectLearner } = await import('../../fleet/nats/nats_connect.node.ts');
  const { startLocalServer } = await import('../../fleet/nats/local_server.node.ts');
  const server = url === undefined ? await startLocalServer() : undefined;
  try {
    const bus = await connectLearner(url ?? (server as LocalServer).learnerUrl);
    const workerUrl = url ?? (server as LocalServer).workerUrl;
    const started = Array.from({ length: workers }, () => startWorker(workerUrl));
    return {
      bus,
      isFar: url !== undefined && !isLoopback(new URL(url).hostname),
      async close() {
        await bus.close();
        for (const worker of started) if (worker.connected) worker.disconnect();
        await server?.close();
      },
    };
  } catch (error) {
    await server?.close();
    throw error;
  }
}

/** A worker of one thread, which ends with this process. */
function startWorker(url: string): ChildProcess {
  const [program] = process.argv.slice(1);
  return spawn(process.execPath, [...process.execArgv, program, 'worker', '--threads', '1', '--quiet'], {
    // The address has a password in it, which a list of processes must not show.
    env: { ...process.env, RLVR_FLEET: url },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
