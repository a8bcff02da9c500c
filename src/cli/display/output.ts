/**
 * Where text leaves for the terminal, or for whatever reads it instead: the one place of the command that writes to
 * standard output and standard error, but for the live region, whose lines come through `terminalText`.
 *
 * Much of what is printed was written by others: keys of a config, names of files, texts of a model, messages of the
 * user's code, records of a run directory. None of it may move the cursor, hide a line, or turn its direction around.
 */
import { printableLines, UNPRINTABLE, withoutPasswords } from '../../format.ts';
import { colors } from './colors.ts';

const ESCAPE = '\u001b\\[';
/** The sequences that `colors.ts` makes: text in colours, and the charts' line on its magenta. */
const OWN_COLORS = new RegExp(`(${ESCAPE}(?:[0-2]|22|3[1-69]|4[59])m)`);
/** Colours of any kind, which code of the user's may print. */
const ANY_COLORS = new RegExp(`(${ESCAPE}[\\d;]*m)`);
/** Columns of a terminal of unknown size, or of size 0, as in containers and CI. */
const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;

/** Lines of ours with their colours; whatever else would not print shows as `·`. */
export function terminalText(text: string): string {
  return colors.isColorSupported ? paintedWith(OWN_COLORS, text) : printableLines(text);
}

/** Lines that code of the user's prints, with whatever colours it gives them. */
export function foreignText(text: string): string {
  return paintedWith(ANY_COLORS, text);
}

function paintedWith(allowed: RegExp, text: string): string {
  // Split by a group, every second piece is a colour.
  const pieces = text.split(allowed);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : printableLines(piece))).join('');
}

/** Lines on standard output. */
export function print(text: string): void {
  process.stdout.write(`${terminalText(text)}\n`);
}

/** JSON on standard output; unprintable characters are escaped, which leaves the data unchanged. */
export function printJson(json: string): void {
  process.stdout.write(`${printableJson(json)}\n`);
}

/** Lines on standard error, never coloured; a word of the command line that they quote may have a password in it. */
export function printError(text: string): void {
  process.stderr.write(`${withoutPasswords(printableLines(text))}\n`);
}

/** JSON with an escape (`\u202e`) for each character that would not print; line ends between its values stay. */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : character.split('').map(escapedUnit).join(''),
  );
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Columns to wrap lines at; undefined if standard output is not a terminal, so that lines stay whole. */
export function wrapColumns({ columns }: { readonly columns?: number }): number | undefined {
  return columns === undefined ? undefined : sizeOf({ columns }).columns;
}

/** The size of a terminal, or the default if it gives none, or one too small for a line. */
export function sizeOf({ columns, rows }: { readonly columns?: number; readonly rows?: number }): {
  readonly columns: number;
  readonly rows: number;
} {
  return { columns: positive(columns) ?? USUAL_COLUMNS, rows: positive(rows) ?? USUAL_ROWS };
}

function positive(size: number | undefined): number | undefined {
  return size !== undefined && Number.isFinite(size) && size > 0 ? size : undefined;
}
