/** `--quiet`: problems on standard error, and the summary as one line of JSON on standard output. */

import { resumeCommand } from '../run/resume_command.ts';
import type { SessionEvent } from '../run/session.ts';
import type { Display, Shown } from './display.ts';

export class QuietDisplay implements Display {
  readonly #directory: string;

  constructor({ directory }: Shown) {
    this.#directory = directory;
  }

  opening(): void {}

  handle(event: SessionEvent): void {
    if (event.type === 'diagnosis') process.stderr.write(`step ${event.step}: ${event.diagnosis.message}\n`);
    if (event.type === 'note') process.stderr.write(`${event.message}\n`);
    if (event.type === 'stopped') process.stderr.write(`saved; go on with: ${resumeCommand(this.#directory)}\n`);
    if (event.type === 'finished') process.stdout.write(`${JSON.stringify(event.summary)}\n`);
  }

  say(): void {}

  close(): void {}
}
