/**
 * A fleet of processes on this machine, by the built command: servers, workers and trainings, and what those leave behind. Needs
 * nats-server on the PATH.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import {
  commandLine,
  type Interrupt,
  type Outcome,
  PROGRAM,
  readMetrics,
  readSummary,
  temporaryFolder,
} from '../../../commands/test/e2e/command_line.ts';
import { INBOX_SUBJECT, inboxPrefix, TASKS } from '../../nats/nats_names.ts';
import { freePort, untilUp } from './nats_server.ts';

/** Milliseconds between two looks at a file. */
const LOOK_MS = 10;

/** A Node of another version, which half of the workers run on where it is named: all Nodes have the same bits. */
const OTHER_NODE = process.env.RLVR_TEST_OTHER_NODE ?? process.execPath;

/** Most seconds of a hold: as long as a test may take. */
const MOST_HELD_SECONDS = 600;

/**
 * A reward that is 0 and, while a file `hold-STEP` is there, waits before it says so. The learner then gives out no task and
 * hears its workers, so that a test can wait for what workers do, however fast the training is.
 */
const HOLD = `import { existsSync, writeFileSync } from 'node:fs';
const beside = (name) => new URL(name, import.meta.url);
export default {
  name: 'hold',
  async score({ completions, trainerState: { step } }) {
    const hold = beside('hold-' + step);
    if (existsSync(hold)) writeFileSync(beside('held-' + step), '');
    while (existsSync(hold)) await new Promise((resolve) => setTimeout(resolve, ${LOOK_MS}));
    return completions.map(() => 0);
  },
};
`;

/** A training that waits in the middle of a step. */
export interface Hold {
  /** A file that is there once the training waits. */
  readonly held: string;
  /** Waits until the training waits. */
  reached(): Promise<void>;
  /** Lets the training go on. */
  release(): void;
}

/** What a run leaves behind, to the bit. */
export interface Left {
  readonly weightsSha256: string;
  readonly completions: string;
  readonly metrics: readonly object[];
}

export class FleetProcesses {
  /** Addresses by user. */
  readonly urls: Readonly<Record<string, string>>;
  /** That the server listens on. */
  readonly port: number;
  /** What `fleet init` has said. */
  readonly said: string;
  readonly #folder: ReturnType<typeof temporaryFolder>;
  readonly #job: readonly string[];
  #started: ChildProcess[] = [];

  private constructor(
    folder: ReturnType<typeof temporaryFolder>,
    job: readonly string[],
    { port, said }: { readonly port: number; readonly said: string },
  ) {
    this.#folder = folder;
    writeFileSync(this.place('hold.mjs'), HOLD);
    const rewards = `grpo.reward_funcs=[positions, ${this.place('hold.mjs')}]`;
    const settings = ['--set', rewards, '--set', `reward_timeout=${MOST_HELD_SECONDS}`];
    this.#job = [...job, ...settings, '--trust', this.place('hold.mjs')];
    this.port = port;
    this.said = said;
    this.urls = Object.fromEntries(
      [...said.matchAll(/nats:\/\/(\w+):\S+/g)].map(([url, user]): [string, string] => [user, url]),
    );
  }

  /**
   * Writes the server's config by `fleet init`.
   * @param job  the run of all trainings, as words of the command: its reward is `positions`
   * @param init  further words of `fleet init`
   */
  static async make(job: readonly string[], init: readonly string[] = []): Promise<FleetProcesses> {
    const folder = temporaryFolder();
    const port = await freePort();
    const at = ['--output', join(folder.path, 'fleet'), '--host', '127.0.0.1', '--port', String(port)];
    const { stdout, stderr, code } = await commandLine(['fleet', 'init', ...at, ...init]);
    if (code !== 0) throw new Error(stderr);
    return new FleetProcesses(folder, job, { port, said: stdout });
  }

  /** A place in the folder of this fleet. */
  place(...parts: readonly string[]): string {
    return join(this.#folder.path, ...parts);
  }

  /** Starts a process that `end` ends. */
  start(program: string, words: readonly string[]): ChildProcess {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    this.#started.push(child);
    return child;
  }

  /** Starts the server, by the config of `fleet init` where no other is given, and waits until it is up. */
  async serve(config = this.place('fleet', 'nats.conf')): Promise<ChildProcess> {
    const server = this.start('nats-server', ['-c', config]);
    await untilUp(this.port);
    return server;
  }

  /** @param url  of the server that they connect to first */
  workers(count: number, url = this.urls.worker): ChildProcess[] {
    return Array.from({ length: count }, (_, i) =>
      this.start(i % 2 === 0 ? process.execPath : OTHER_NODE, [PROGRAM, 'worker', '--threads', '1', '--fleet', url]),
    );
  }

  /** Trains the job by itself. @param interrupt  as of `commandLine` */
  alone(name: string, more: readonly string[] = [], interrupt?: Interrupt): Promise<Outcome> {
    return commandLine([...this.#job, '--output', this.place(name), ...more], interrupt);
  }

  /** Trains the job with the fleet. */
  train(name: string, more: readonly string[] = [], interrupt?: Interrupt): Promise<Outcome> {
    return this.alone(name, ['--fleet', this.urls.learner, ...more], interrupt);
  }

  /** Makes the next training wait in a step. @param step  from 1: so many are done */
  hold(step: number): Hold {
    const [file, held] = [this.place(`hold-${step}`), this.place(`held-${step}`)];
    rmSync(held, { force: true });
    writeFileSync(file, '');
    return { held, reached: () => until(() => existsSync(held)), release: () => rmSync(file) };
  }

  /** Waits until as many workers wait for a task of the training that is held: each is given one when it goes on. */
  async untilWaiting(workers: number): Promise<void> {
    const { host, username: user, password: pass } = new URL(this.urls.learner);
    const connection = await connect({ servers: host, user, pass, inboxPrefix: inboxPrefix('learner') });
    try {
      const run = await new Promise<string>((resolve) => {
        connection.subscribe(`${INBOX_SUBJECT}.*.presence`, {
          callback: (_, { subject }) => resolve(subject.split('.')[2]),
        });
      });
      const { consumers } = await jetstreamManager(connection);
      // A learner that is there may not have made the list of tasks yet.
      const waiting = (): Promise<number> =>
        consumers.info(TASKS, run).then(
          ({ num_waiting }) => num_waiting,
          (error: unknown) => {
            if (error instanceof Error && error.name === 'ConsumerNotFoundError') return 0;
            throw error;
          },
        );
      await until(async () => (await waiting()) >= workers);
    } finally {
      await connection.close();
    }
  }

  leftBy(name: string): Left {
    const { weightsSha256 } = readSummary(this.place(name));
    const completions = readFileSync(this.place(name, 'completions.jsonl'), 'utf8');
    return { weightsSha256, completions, metrics: readMetrics(this.place(name)) };
  }

  /** Lines of fleet.jsonl. */
  fleetLines(name: string): Record<string, number>[] {
    return lines(this.place(name, 'fleet.jsonl')).map((line) => JSON.parse(line));
  }

  /** Kills all processes that were started. */
  async end(): Promise<void> {
    await Promise.all(this.#started.map(killed));
    this.#started = [];
  }

  remove(): void {
    this.#folder.remove();
  }
}

/** Kills a process, and waits until it is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

function lines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}
