/** `--quiet`: problems on standard error, and the summary as one line of JSON on standard output. */

import { resumeCommand } from '../../run/resume_command.ts';
import type { SessionEvent } from '../../run/session.ts';
import type { Display, Shown } from './display.ts';
import { printError, printJson } from './output.ts';
import { stoppedLine } from './reporter.ts';

export class QuietDisplay implements Display {
  readonly #directory: string;

  constructor({ directory }: Shown) {
    this.#directory = directory;
  }

  opening(): void {}

  handle(event: SessionEvent): void {
    if (event.type === 'diagnosis') printError(`step ${event.step}: ${event.diagnosis.message}`);
    if (event.type === 'note') printError(event.message);
    if (event.type === 'stopped') printError(`${stoppedLine(event)} Resume with: ${resumeCommand(this.#directory)}`);
    if (event.type === 'finished') printJson(JSON.stringify(event.summary));
  }

  say(): void {}

  close(): void {}
}
