/** A run in lines, wherever they go: for people, as JSON, or nearly none. */
import type { Display, Shown } from './display.ts';
import { JsonDisplay } from './json_display.ts';
import { print } from './output.ts';
import { QuietDisplay } from './quiet_display.ts';
import { Reporter } from './reporter.ts';

export interface DisplayOptions {
  readonly plain?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** @param printLine  prints a line for people */
export function openLines(shown: Shown, { json, quiet }: DisplayOptions, printLine = print): Display {
  if (json) return new JsonDisplay(shown);
  if (quiet) return new QuietDisplay(shown);
  return new Reporter({ ...shown, print: printLine, progress: true });
}
