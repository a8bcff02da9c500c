/** Which display a run gets: a live region, plain lines, JSON lines, or nearly nothing. */
import type { RunControls } from '../process/controls.ts';
import type { Display, Shown } from './display.ts';
import { JsonDisplay } from './json_display.ts';
import { isInForeground } from './live/foreground.ts';
import { print, wrapColumns } from './output.ts';
import { QuietDisplay } from './quiet_display.ts';
import { Reporter } from './reporter.ts';

export interface DisplayOptions {
  readonly plain?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** What draws, and what measures columns, is loaded where there is a terminal. */
export async function openDisplay(shown: Shown, controls: RunControls, options: DisplayOptions): Promise<Display> {
  if (options.json) return new JsonDisplay(shown);
  if (options.quiet) return new QuietDisplay(shown);
  if (!options.plain && isLive(process.stdout, process.env) && isInForeground()) {
    const { LiveDisplay } = await import('./live/live_display.ts');
    return new LiveDisplay(shown, controls);
  }
  return new Reporter({ ...shown, print: await linePrinter(), progress: true });
}

async function linePrinter(): Promise<(line: string) => void> {
  const columns = wrapColumns(process.stdout);
  if (columns === undefined) return print;
  const { wrapWords } = await import('./live/text.ts');
  return (line) => print(wrapWords(line, columns));
}

/** A terminal that can move its cursor, with someone in front of it. */
export function isLive(
  stdout: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const inCi = env.CI !== undefined && env.CI !== '' && env.CI !== '0' && env.CI !== 'false';
  return stdout.isTTY === true && env.TERM !== 'dumb' && !inCi;
}
