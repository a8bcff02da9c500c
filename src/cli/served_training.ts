/**
 * `train --ui`: the page of the run, while it is under way. Its server is a process of its own, so that no request waits
 * for a step and no step for a request; it ends with the training, however that ends.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import { printable } from '../format.ts';

/** What the process of `ui` tells the one that started it. */
export interface UiMessage {
  readonly url: string;
}

export class ServedTraining {
  readonly #process: ChildProcess;

  /** @param directory  of the run, which is there @param say  tells the address, or why there is none */
  constructor(directory: string, say: (line: string) => void) {
    const { folder, name } = placeOf(directory);
    const script = process.argv[1] ?? '';
    this.#process = fork(script, ['ui', folder], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
    this.#process.on('message', (message) => {
      const { url } = message as UiMessage; // of our own program
      say(`watch it: ${url}run?run=${encodeURIComponent(name)}`);
    });
    this.#process.on('error', (error) => say(`no page of this run: ${printable(error.message)}`));
    // Neither keeps a training alive that is over.
    this.#process.unref();
    this.#process.channel?.unref();
  }

  close(): void {
    if (this.#process.connected) this.#process.disconnect();
  }
}

/** The folder whose runs the page lists: the one around the run, where that is not all of the working directory. */
function placeOf(directory: string): { readonly folder: string; readonly name: string } {
  const whole = resolve(directory);
  const around = dirname(whole);
  return around === process.cwd() ? { folder: whole, name: '.' } : { folder: around, name: basename(whole) };
}
