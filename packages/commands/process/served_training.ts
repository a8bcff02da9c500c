/**
 * `train --ui`: the page of the run, or of the runs of a series, while it is under way. Its server is a process of its
 * own, so that no request waits for a step and no step for a request; it ends with the training, however that ends.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { dirname, relative, resolve, sep } from 'node:path';
import { printable } from '../../../src/format.ts';

/** What the process of `ui` tells the one that started it. */
export interface UiMessage {
  readonly url: string;
}

export class ServedTraining {
  readonly #folder: string;
  #process: ChildProcess | undefined;
  /** The address; a text that says why there is none. */
  #server: Promise<{ readonly url: string } | string> | undefined;
  /** Prints for the newest run: a short one may be over before the server has its address. */
  #say: (line: string) => void = () => {};

  /** @param folder  whose runs the page lists; its server is started with the first of them */
  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** @param directory  of a run, which is there @param say  tells its address, or why there is none */
  offer(directory: string, say: (line: string) => void): void {
    this.#say = say;
    this.#server ??= this.#start();
    const name = relative(this.#folder, resolve(directory)).split(sep).join('/') || '.';
    void this.#server.then((server) =>
      this.#say(
        typeof server === 'string'
          ? `no page of this run: ${server}`
          : `watch it: ${server.url}run?run=${encodeURIComponent(name)}`,
      ),
    );
  }

  #start(): Promise<{ readonly url: string } | string> {
    const script = process.argv[1] ?? '';
    const started = fork(script, ['ui', this.#folder], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
    this.#process = started;
    // Neither keeps a training alive that is over.
    started.unref();
    started.channel?.unref();
    return new Promise((resolve) => {
      started.on('message', (message) => resolve(message as UiMessage)); // of our own program
      started.on('error', (error) => resolve(printable(error.message)));
    });
  }

  close(): void {
    if (this.#process?.connected) this.#process.disconnect();
  }
}

/** The folder of a single run's page: the one around the run, where that is not all of the working directory. */
export function placeOf(directory: string): string {
  const whole = resolve(directory);
  const around = dirname(whole);
  return around === process.cwd() ? whole : around;
}
