/** Which display a run gets: a live region, or lines. */

import type { Display, Shown } from '../../../src/cli/display/display.ts';
import { type DisplayOptions, openLines } from '../../../src/cli/display/open_lines.ts';
import { print, wrapColumns } from '../../../src/cli/display/output.ts';
import type { RunControls } from '../process/controls.ts';
import { isInForeground } from './live/foreground.ts';

/** What draws, and what measures columns, is loaded where there is a terminal. */
export async function openDisplay(shown: Shown, controls: RunControls, options: DisplayOptions): Promise<Display> {
  if (options.json || options.quiet) return openLines(shown, options);
  if (!options.plain && isLive(process.stdout, process.env) && isInForeground()) {
    const { LiveDisplay } = await import('./live/live_display.ts');
    return new LiveDisplay(shown, controls);
  }
  return openLines(shown, options, await linePrinter());
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
