/** The expressions of Jinja2 3.1's grammar, from tokens. */
import { TemplateError, type Token } from './lexer.ts';
import type { Arguments, Expression } from './syntax.ts';

export const CONSTANTS = new Map<string, boolean | null>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);
const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
const NO_ARGUMENTS: Arguments = { positional: [], named: [] };

export class ExpressionParser {
  protected readonly tokens: readonly Token[];
  protected at = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  // Tokens.

  protected get token(): Token {
    return this.tokens[this.at] ?? { kind: 'end', text: '', line: this.tokens.at(-1)?.line ?? 1 };
  }

  protected is(kind: Token['kind'], text?: string): boolean {
    const token = this.token;
    return token.kind === kind && (text === undefined || token.text === text);
  }

  protected skip(kind: Token['kind'], text?: string): boolean {
    if (!this.is(kind, text)) return false;
    this.at++;
    return true;
  }

  protected expect(kind: Token['kind'], text?: string): Token {
    const token = this.token;
    if (!this.skip(kind, text)) throw this.unexpected(text ?? (kind === 'end' ? 'the end of the tag' : `a ${kind}`));
    return token;
  }

  protected unexpected(expected: string): TemplateError {
    const { kind, text, line } = this.token;
    const seen = kind === 'end' ? 'the end of the tag' : `'${text}'`;
    return new TemplateError(`expected ${expected}, got ${seen}`, line);
  }

  protected isName(...names: readonly string[]): boolean {
    return this.token.kind === 'name' && names.includes(this.token.text);
  }
  // Expressions.

  protected tuple(withCondition = true, extraEnds: readonly string[] = [], inParentheses = false): Expression {
    const { line } = this.token;
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0 && !this.skip('operator', ',')) break;
      if (items.length > 0) isTuple = true;
      if (this.is('end') || this.is('operator', ')') || this.isName(...extraEnds)) break;
      items.push(withCondition ? this.expression() : this.#or());
    }
    if (!isTuple && items.length === 1) return items[0];
    if (items.length === 0 && !inParentheses) throw this.unexpected('an expression');
    return { kind: 'tuple', items, line };
  }

  protected expression(): Expression {
    let value = this.#or();
    while (this.is('name', 'if')) {
      const { line } = this.expect('name');
      const test = this.#or();
      const otherwise = this.skip('name', 'else') ? this.expression() : undefined;
      value = { kind: 'condition', test, value, otherwise, line };
    }
    return value;
  }

  #or(): Expression {
    return this.#binary(() => this.#binary(() => this.#not(), 'name', ['and']), 'name', ['or']);
  }

  #binary(inner: () => Expression, kind: 'name' | 'operator', operators: readonly string[]): Expression {
    let left = inner();
    while (this.token.kind === kind && operators.includes(this.token.text)) {
      const { text: operator, line } = this.expect(kind);
      left = { kind: 'binary', operator, left, right: inner(), line };
    }
    return left;
  }

  #not(): Expression {
    const { line } = this.token;
    if (this.skip('name', 'not')) return { kind: 'unary', operator: 'not', of: this.#not(), line };
    return this.#comparison();
  }

  #comparison(): Expression {
    const { line } = this.token;
    const sum = (): Expression => this.#binary(() => this.#concat(), 'operator', ['+', '-']);
    const first = sum();
    const rest: { operator: string; of: Expression }[] = [];
    for (;;) {
      const next = this.tokens[this.at + 1];
      if (this.token.kind === 'operator' && COMPARISONS.includes(this.token.text)) {
        rest.push({ operator: this.expect('operator').text, of: sum() });
      } else if (this.skip('name', 'in')) rest.push({ operator: 'in', of: sum() });
      else if (this.is('name', 'not') && next?.kind === 'name' && next.text === 'in') {
        this.at += 2;
        rest.push({ operator: 'not in', of: sum() });
      } else break;
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest, line };
  }

  #concat(): Expression {
    const { line } = this.token;
    const product = (): Expression => this.#binary(() => this.#power(), 'operator', ['*', '/', '//', '%']);
    const parts = [product()];
    while (this.skip('operator', '~')) parts.push(product());
    return parts.length === 1 ? parts[0] : { kind: 'concat', parts, line };
  }

  #power(): Expression {
    return this.#binary(() => this.#unary(true), 'operator', ['**']);
  }

  #unary(withFilters: boolean): Expression {
    const { text: operator, line } = this.token;
    let value: Expression;
    if (this.skip('operator', '-') || this.skip('operator', '+')) {
      value = { kind: 'unary', operator, of: this.#unary(false), line };
    } else value = this.#primary();
    value = this.#postfix(value);
    return withFilters ? this.#filtered(value) : value;
  }

  #primary(): Expression {
    const token = this.token;
    const { line } = token;
    this.at++;
    if (token.kind === 'name') {
      const constant = CONSTANTS.get(token.text);
      if (constant !== undefined) return { kind: 'literal', value: constant, line };
      return { kind: 'name', name: token.text, line };
    }
    if (token.kind === 'string') {
      let value = token.text;
      while (this.is('string')) value += this.expect('string').text;
      return { kind: 'literal', value, line };
    }
    const digits = token.text.replaceAll('_', '');
    if (token.kind === 'integer') return { kind: 'literal', value: BigInt(digits), line };
    if (token.kind === 'float') return { kind: 'literal', value: Number(digits), line };
    if (token.kind === 'operator' && token.text === '(') {
      const inner = this.tuple(true, [], true);
      this.expect('operator', ')');
      return inner;
    }
    if (token.kind === 'operator' && token.text === '[') {
      return { kind: 'list', items: this.#items(']', () => this.expression()), line };
    }
    if (token.kind === 'operator' && token.text === '{') {
      const items = this.#items('}', (): readonly [Expression, Expression] => {
        const key = this.expression();
        this.expect('operator', ':');
        return [key, this.expression()];
      });
      return { kind: 'dict', items, line };
    }
    this.at--;
    throw this.unexpected('an expression');
  }

  #items<T>(end: string, item: () => T): T[] {
    const items: T[] = [];
    while (!this.skip('operator', end)) {
      if (items.length > 0) {
        this.expect('operator', ',');
        if (this.skip('operator', end)) break;
      }
      items.push(item());
    }
    return items;
  }

  #postfix(of: Expression): Expression {
    let value = of;
    for (;;) {
      const { line } = this.token;
      if (this.skip('operator', '.')) {
        const token = this.token;
        this.at++;
        if (token.kind === 'name') value = { kind: 'attribute', of: value, name: token.text, line };
        else if (token.kind === 'integer') {
          value = { kind: 'item', of: value, index: { kind: 'literal', value: BigInt(token.text), line }, line };
        } else throw new TemplateError(`expected a name after '.', got '${token.text}'`, line);
      } else if (this.skip('operator', '[')) value = { kind: 'item', of: value, index: this.#subscript(), line };
      else if (this.is('operator', '(')) value = { kind: 'call', callee: value, args: this.#arguments(), line };
      else return value;
    }
  }

  #subscript(): Expression {
    const { line } = this.token;
    const items = this.#items(']', () => this.#subscriptItem());
    if (items.length === 0) throw new TemplateError('expected an index', line);
    return items.length === 1 ? items[0] : { kind: 'tuple', items, line };
  }

  #subscriptItem(): Expression {
    const { line } = this.token;
    const isEnd = (): boolean => [':', ']', ','].some((text) => this.is('operator', text));
    const first = isEnd() ? undefined : this.expression();
    if (first !== undefined && !this.is('operator', ':')) return first;
    const bounds = [first];
    while (bounds.length < 3 && this.skip('operator', ':')) bounds.push(isEnd() ? undefined : this.expression());
    return { kind: 'slice', bounds, line };
  }

  #arguments(): Arguments {
    this.expect('operator', '(');
    const positional: Expression[] = [];
    const named: [string, Expression][] = [];
    this.#items(')', () => {
      const { line } = this.token;
      if (this.is('operator', '*') || this.is('operator', '**')) {
        throw new TemplateError(`arguments by '${this.token.text}' are not supported`, line);
      }
      const next = this.tokens[this.at + 1];
      if (this.token.kind === 'name' && next?.kind === 'operator' && next.text === '=') {
        const name = this.expect('name').text;
        this.at++;
        named.push([name, this.expression()]);
      } else if (named.length > 0) throw new TemplateError('a positional argument after a named one', line);
      else positional.push(this.expression());
    });
    return { positional, named };
  }

  #filtered(of: Expression): Expression {
    let value = of;
    for (;;) {
      if (this.skip('operator', '|')) value = this.filter()(value);
      else if (this.is('name', 'is')) value = this.#test(value);
      else if (this.is('operator', '(')) {
        const { line } = this.token;
        value = { kind: 'call', callee: value, args: this.#arguments(), line };
      } else return value;
    }
  }

  protected filter(): (of: Expression) => Expression {
    const { text: name, line } = this.expect('name');
    const args = this.is('operator', '(') ? this.#arguments() : NO_ARGUMENTS;
    return (of) => ({ kind: 'filter', of, name, args, line });
  }

  #test(of: Expression): Expression {
    const { line } = this.expect('name', 'is');
    const isNegated = this.skip('name', 'not');
    const name = this.expect('name').text;
    let args = NO_ARGUMENTS;
    const { kind, text } = this.token;
    const begins =
      ['name', 'string', 'integer', 'float'].includes(kind) || (kind === 'operator' && '[{'.includes(text));
    if (this.is('operator', '(')) args = this.#arguments();
    else if (begins && !this.isName('else', 'or', 'and')) {
      if (this.isName('is')) throw new TemplateError("tests cannot be chained with 'is'", line);
      args = { positional: [this.#postfix(this.#primary())], named: [] };
    }
    return { kind: 'test', of, name, args, isNegated, line };
  }
}
