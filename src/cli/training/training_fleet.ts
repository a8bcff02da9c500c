/** `--fleet` and `--workers`: a training whose completions other processes sample. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { Fleet } from '../../fleet/fleet.ts';
import type { LocalServer } from '../../fleet/local_server.node.ts';
import { runCard, runName } from '../../fleet/run_card.ts';
import { fleetLines } from '../../fleet/tally.ts';
import { localGenerator, type MakeGenerator } from '../../grpo/generator.ts';
import type { ConfiguredModel } from '../../grpo/run.ts';
import { packageVersion } from '../../run/fingerprint/fingerprint.node.ts';

/** Flags of a training with a fleet. */
export interface FleetFlags {
  /** Address of a NATS server. */
  readonly fleet?: string;
  /** Worker processes to start on this machine. */
  readonly workers?: number;
  readonly verifyShare?: number;
}

const VERIFY_SHARE = 0.05;

/** What a training has of its fleet. */
export class TrainingFleet {
  readonly #fleet: Fleet;
  readonly #server: LocalServer | undefined;
  readonly #workers: readonly ChildProcess[];
  /** What was said before anything showed it. */
  #waiting: string[] = [];
  #say: ((line: string) => void) | undefined;

  /**
   * Connects to the server, or starts one of its own; undefined where no flag asks for a fleet.
   * @throws FleetError
   */
  static async connect(flags: FleetFlags): Promise<TrainingFleet | undefined> {
    const { fleet: url, workers = 0, verifyShare = VERIFY_SHARE } = flags;
    if (url === undefined && workers === 0) return undefined;
    const { connectLearner } = await import('../../fleet/nats_connect.node.ts');
    const { startLocalServer } = await import('../../fleet/local_server.node.ts');
    const server = url === undefined ? await startLocalServer() : undefined;
    try {
      const bus = await connectLearner(url ?? (server as LocalServer).learnerUrl);
      const workerUrl = url ?? (server as LocalServer).workerUrl;
      return new TrainingFleet(
        (say) => new Fleet(bus, { verifyShare, say }),
        server,
        Array.from({ length: workers }, () => startWorker(workerUrl)),
      );
    } catch (error) {
      await server?.close();
      throw error;
    }
  }

  private constructor(
    open: (say: (line: string) => void) => Fleet,
    server: LocalServer | undefined,
    workers: readonly ChildProcess[],
  ) {
    this.#fleet = open((line) => (this.#say === undefined ? this.#waiting.push(line) : this.#say(line)));
    this.#server = server;
    this.#workers = workers;
  }

  /** For `openRun`. */
  readonly makeGenerator: MakeGenerator = (policy, version) =>
    this.#fleet.generator(policy, localGenerator(policy, version));

  /** Tells workers of the run. @param say  shows what happens @throws FleetError where another learner has it */
  async open(run: ConfiguredModel, directory: string, say: (line: string) => void): Promise<void> {
    this.#say = say;
    for (const line of this.#waiting.splice(0)) say(line);
    await this.#fleet.open(await runName(run, resolve(directory)), runCard(run, packageVersion()));
  }

  /** What it has come to, for the user. */
  get lines(): string[] {
    return fleetLines(this.#fleet.figures);
  }

  async close(): Promise<void> {
    await this.#fleet.close();
    for (const worker of this.#workers) if (worker.connected) worker.disconnect();
    await this.#server?.close();
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
