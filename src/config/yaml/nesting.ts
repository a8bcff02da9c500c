/** How deep a YAML text nests, told from its lexemes, before a parser recurses into it. */

/** Lexemes of the parser that stand for nothing in the text: byte order mark, begin of a document, ends of a flow, a scalar. */
const CONTROL = new Set([0xfeff, 0x02, 0x18, 0x1f]);
/** After them a collection may begin on the same line. */
const INDICATORS = new Set(['-', '?', ':']);

/**
 * Collections that are open where the lexemes end, at the least as many as a parser recurses into: brackets and braces,
 * and each column to the left in which a line, or what follows an indicator, begins.
 */
export class Nesting {
  #brackets = 0;
  #column = 0;
  #mayBegin = true;
  readonly #columns: number[] = [];

  get depth(): number {
    return this.#brackets + this.#columns.length;
  }

  add(lexeme: string): void {
    if (CONTROL.has(lexeme.charCodeAt(0))) return;
    const isBlank = lexeme.trim() === '' || lexeme.startsWith('#');
    if (lexeme === '[' || lexeme === '{') this.#brackets++;
    else if (lexeme === ']' || lexeme === '}') this.#brackets = Math.max(0, this.#brackets - 1);
    else if (this.#brackets === 0 && this.#mayBegin && !isBlank) this.#begin();
    const newline = Math.max(lexeme.lastIndexOf('\n'), lexeme.lastIndexOf('\r'));
    this.#column = newline === -1 ? this.#column + lexeme.length : lexeme.length - newline - 1;
    if (newline !== -1) this.#mayBegin = true;
    else if (!isBlank) this.#mayBegin = INDICATORS.has(lexeme);
  }

  #begin(): void {
    while ((this.#columns.at(-1) ?? -1) >= this.#column) this.#columns.pop();
    this.#columns.push(this.#column);
  }
}
