/**
 * A region of lines at the end of the terminal that is redrawn in place, below finished lines that scroll away.
 *
 * A redraw is one write, framed for terminals that show a frame at once; of an unchanged region only the lines that
 * differ are written. A line is erased before it is written, not after: some terminals count cells that were
 * erased later as part of the line, and would wrap them when they become narrower.
 */
import { columnsOf } from './text.ts';

const ESCAPE = '\u001b[';
const HIDE_CURSOR = `${ESCAPE}?25l`;
const SHOW_CURSOR = `${ESCAPE}?25h`;
/** Terminals that know these show the frame between them at once; the others ignore them. */
const BEGIN_FRAME = `${ESCAPE}?2026h`;
const END_FRAME = `${ESCAPE}?2026l`;
const ERASE_LINE = `${ESCAPE}2K`;
const ERASE_BELOW = `${ESCAPE}J`;

/** What of a terminal's stream is needed; its size may change at any time. */
export interface Terminal {
  readonly columns: number;
  write(text: string): unknown;
}

export class Screen {
  readonly #terminal: Terminal;
  #lines: readonly string[] = [];
  #columns = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /**
   * Shows these lines, and hides the cursor; each must fit the terminal's width.
   * @param finished  lines to print above them in the same frame
   */
  draw(lines: readonly string[], finished = ''): void {
    if (finished !== '' || lines.length !== this.#lines.length || this.#terminal.columns !== this.#columns) {
      this.#redraw(finished, lines);
      return;
    }
    if (lines.every((line, index) => line === this.#lines[index])) return;
    const changed = lines.map((line, index) => (line === this.#lines[index] ? '\n' : `${ERASE_LINE}${line}\n`));
    this.#write(this.#toFirstLine() + changed.join(''), lines);
  }

  /** Prints finished lines above the region. */
  print(text: string): void {
    this.#redraw(text, this.#lines);
  }

  /** Takes the region away and shows the cursor; `draw` brings both back. */
  clear(): void {
    if (this.#lines.length > 0) this.#terminal.write(`${this.#toFirstLine()}${ERASE_BELOW}${SHOW_CURSOR}`);
    this.#lines = [];
  }

  /** Leaves the region where it is; the next one is drawn where the cursor then is. */
  forget(): void {
    this.#lines = [];
  }

  #redraw(text: string, lines: readonly string[]): void {
    const finished = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    if (this.#lines.length + lines.length === 0) {
      this.#terminal.write(finished);
      return;
    }
    const region = lines.map((line) => `${line}\n`).join('');
    this.#write(`${this.#toFirstLine()}${ERASE_BELOW}${finished}${region}`, lines);
  }

  #write(text: string, lines: readonly string[]): void {
    this.#terminal.write(`${BEGIN_FRAME}${HIDE_CURSOR}${text}${END_FRAME}`);
    this.#lines = lines;
    this.#columns = this.#terminal.columns;
  }

  /** A terminal that became narrower has wrapped the region's lines, so that they take more rows than were written. */
  #toFirstLine(): string {
    const { columns } = this.#terminal;
    const rowsOf = (line: string): number => Math.max(1, Math.ceil(columnsOf(line) / Math.max(1, columns)));
    const wrapped = columns !== this.#columns;
    const rows = wrapped ? this.#lines.reduce((sum, line) => sum + rowsOf(line), 0) : this.#lines.length;
    return rows === 0 ? '\r' : `\r${ESCAPE}${rows}A`;
  }
}
