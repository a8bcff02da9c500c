/**
 * Tables as text, with a line of names first: cells apart by comma, semicolon or tab, quoted where they hold one of these,
 * a quote (doubled) or an end of line, which is LF, CRLF or CR. Every cell is a text; an empty one is null.
 *
 * @see RFC 4180
 */
import { badEncoding, badFile } from '../../../../src/data/data_files.ts';
import type { Row, RowReading } from './row.ts';

/** Longest row, in characters: a quote that is never closed would take the whole file into memory. */
const MOST_CHARACTERS = 64 * 1024 ** 2;
const SEPARATORS = [',', ';', '\t'];
/** What pandas calls the column of its index, which it writes without a name. */
const INDEX = 'Unnamed: 0';

/** @throws DataError where it has no line of names, is no UTF-8, or a row is too long */
export async function* readCsv(pieces: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<readonly RowReading[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw badEncoding(path, bytes ?? new Uint8Array(), table.line);
    }
  };
  const table = new Table(path);
  for await (const piece of pieces) yield table.read(decoded(piece));
  yield table.end(decoded());
}

class Table {
  readonly #path: string;
  #names: readonly string[] | undefined;
  #separator = '';
  #isAfterReturn = false;
  #cells: string[] = [];
  #cell = '';
  /** `closed`: after the last quote of a cell, or the first of a doubled one. */
  #quote: 'none' | 'open' | 'closed' = 'none';
  #characters = 0;
  /** Line of the file, and the one on which the row begins. */
  #line = 1;
  #rowLine = 1;
  /** The first line, up to its end, is looked at whole: it shows what cells are separated by. */
  #head = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Of the file. */
  get line(): number {
    return this.#line;
  }

  read(text: string): RowReading[] {
    if (text.includes('\0')) {
      const line = this.#line + text.slice(0, text.indexOf('\0')).split('\n').length - 1;
      throw badFile(this.#path, `line ${line} holds a NUL byte, as no text does; save the table as UTF-8`);
    }
    const readings: RowReading[] = [];
    let given = text;
    if (this.#separator === '') {
      this.#head += text;
      if (!/[\r\n]/.test(this.#head)) {
        this.#bounded(this.#head.length);
        return readings;
      }
      given = this.#begin();
    }
    for (const character of given) this.#take(character, readings);
    return readings;
  }

  end(text: string): RowReading[] {
    const readings = this.read(text);
    if (this.#separator === '') for (const character of this.#begin()) this.#take(character, readings);
    if (this.#quote === 'open') {
      readings.push({ line: this.#rowLine, problem: 'a quote is opened and never closed; close it, or double it' });
    } else if (this.#cell !== '' || this.#cells.length > 0) this.#endRow(readings);
    if (this.#names === undefined)
      throw badFile(this.#path, 'an empty file; give one with a line of names and a row a line');
    return readings;
  }

  #begin(): string {
    const head = this.#head.replace(/^\ufeff/, '');
    const first = head.split(/[\r\n]/, 1)[0].replaceAll(/"[^"]*"/g, '');
    const count = (separator: string): number => first.split(separator).length;
    const isTabbed = /\.tsv(\.\w+)?$/i.test(this.#path) && first.includes('\t');
    this.#separator = isTabbed ? '\t' : SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best));
    this.#head = '';
    return head;
  }

  #bounded(characters: number): void {
    if (characters <= MOST_CHARACTERS) return;
    const rule = `the row from line ${this.#rowLine} on is longer than 64 MB; close its quote, or give a row a line`;
    throw badFile(this.#path, rule);
  }

  #take(character: string, readings: RowReading[]): void {
    this.#bounded(++this.#characters);
    const endsReturn = this.#isAfterReturn && character === '\n';
    this.#isAfterReturn = character === '\r';
    if ((character === '\n' && !endsReturn) || character === '\r') this.#line++;
    if (this.#quote === 'open') {
      if (character === '"') this.#quote = 'closed';
      else this.#cell += character;
    } else if (character === '"' && this.#quote === 'closed') {
      this.#cell += '"';
      this.#quote = 'open';
    } else if (character === '"' && this.#cell === '') this.#quote = 'open';
    else if (character === this.#separator) this.#endCell();
    else if (character === '\r' || (character === '\n' && !endsReturn)) this.#endRow(readings);
    else if (character !== '\n') this.#cell += character;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#quote = 'none';
  }

  #endRow(readings: RowReading[]): void {
    this.#endCell();
    const cells = this.#cells;
    const line = this.#rowLine;
    [this.#cells, this.#characters, this.#rowLine] = [[], 0, this.#line];
    if (cells.length === 1 && cells[0] === '') return; // an empty line
    if (this.#names === undefined) {
      this.#names = this.#namesOf(cells);
      return;
    }
    const names = this.#names;
    if (cells.length !== names.length) {
      const problem = `${cells.length} cells, and the line of names has ${names.length}; quote a cell that holds a separator`;
      readings.push({ line, problem });
      return;
    }
    const row: Row = Object.fromEntries(names.map((name, i) => [name, cells[i] === '' ? null : cells[i]]));
    readings.push({ line, row });
  }

  #namesOf(cells: readonly string[]): readonly string[] {
    const names = cells.map((name, i) => name.trim() || (i === 0 && cells.length > 1 ? INDEX : ''));
    const twice = names.find((name, i) => name === '' || names.indexOf(name) !== i);
    if (twice === undefined) return names;
    const what = twice === '' ? 'a column without a name' : `two columns named "${twice}"`;
    throw badFile(this.#path, `${what} in its first line; give each a name of its own`);
  }
}
