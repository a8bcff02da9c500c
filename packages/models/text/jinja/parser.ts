/** The syntax tree of a template: Jinja2 3.1's statements with loop controls and transformers' `generation` block. */
import { CONSTANTS, ExpressionParser } from './expression_parser.ts';
import { TemplateError, tokensOf } from './lexer.ts';
import type { Body, Expression, Parameter, Statement, Target } from './syntax.ts';

/** @throws TemplateError with the construct and its line */
export function parseTemplate(template: string): Body {
  return new Parser(tokensOf(template)).template();
}

class Parser extends ExpressionParser {
  /** Names of the blocks that are open, for messages. */
  readonly #open: string[] = [];
  #loops = 0;

  template(): Body {
    return this.#body([]);
  }

  /** Statements until a block that begins with one of `ends`, whose name is the next token. */
  #body(ends: readonly string[]): Body {
    const body: Statement[] = [];
    while (this.at < this.tokens.length) {
      const { kind, text, line } = this.token;
      this.at++;
      if (kind === 'text') body.push({ kind, text, line });
      else if (kind === 'print') {
        body.push({ kind, of: this.tuple(), line });
        this.expect('end');
      } else {
        if (this.isName(...ends)) return body;
        body.push(this.#statement());
      }
    }
    const opened = this.#open.at(-1);
    if (ends.length > 0) throw new TemplateError(`the ${opened} block is not closed`, this.token.line);
    return body;
  }

  /** A body and the name that ended it. */
  #bodyOf(name: string, ...ends: readonly string[]): { readonly body: Body; readonly end: string } {
    this.expect('end');
    this.#open.push(name);
    const body = this.#body(ends);
    this.#open.pop();
    const end = this.expect('name').text;
    return { body, end };
  }

  #closedBody(name: string): Body {
    const { body } = this.#bodyOf(name, `end${name}`);
    if (name === 'macro') this.skip('name');
    this.expect('end');
    return body;
  }

  #statement(): Statement {
    const { text: name, line } = this.expect('name');
    switch (name) {
      case 'if':
        return this.#if(line);
      case 'for':
        return this.#for(line);
      case 'set':
        return this.#set(line);
      case 'macro': {
        const called = this.expect('name').text;
        return { kind: 'macro', name: called, parameters: this.#parameters(), body: this.#closedBody(name), line };
      }
      case 'call': {
        const parameters = this.is('operator', '(') ? this.#parameters() : [];
        const call = this.expression();
        if (call.kind !== 'call') throw new TemplateError('a call block needs a call', line);
        return { kind: 'call-block', call, parameters, body: this.#closedBody(name), line };
      }
      case 'filter': {
        let made: ((of: Expression) => Expression) | undefined;
        do {
          const [before, next] = [made, this.filter()];
          made = (of) => next(before === undefined ? of : before(of));
        } while (this.skip('operator', '|'));
        const body = this.#closedBody(name);
        return { kind: 'print', of: made({ kind: 'rendered', body, line }), line };
      }
      case 'with': {
        const values: [Target, Expression][] = [];
        while (!this.is('end')) {
          if (values.length > 0) this.expect('operator', ',');
          const target = this.#target(false);
          this.expect('operator', '=');
          values.push([target, this.expression()]);
        }
        return { kind: 'scope', values, body: this.#closedBody(name), line };
      }
      case 'generation':
        return { kind: 'scope', values: [], body: this.#closedBody(name), line };
      case 'break':
      case 'continue':
        if (this.#loops === 0) throw new TemplateError(`'${name}' outside of a loop`, line);
        this.expect('end');
        return { kind: name, line };
      default:
        throw new TemplateError(`the block '${name}' is not supported here`, line);
    }
  }

  #if(line: number): Statement {
    const branches: { test: Expression; body: Body }[] = [];
    for (;;) {
      const test = this.tuple(false);
      const { body, end } = this.#bodyOf('if', 'elif', 'else', 'endif');
      branches.push({ test, body });
      if (end === 'elif') continue;
      const otherwise = end === 'else' ? this.#bodyOf('if', 'endif').body : [];
      this.expect('end');
      return { kind: 'if', branches, otherwise, line };
    }
  }

  #for(line: number): Statement {
    const target = this.#target(true);
    this.expect('name', 'in');
    const over = this.tuple(false, ['recursive']);
    const test = this.skip('name', 'if') ? this.expression() : undefined;
    const isRecursive = this.skip('name', 'recursive');
    this.#loops++;
    const { body, end } = this.#bodyOf('for', 'else', 'endfor');
    this.#loops--;
    const otherwise = end === 'else' ? this.#bodyOf('for', 'endfor').body : [];
    this.expect('end');
    return { kind: 'for', target, over, test, isRecursive, body, otherwise, line };
  }

  #set(line: number): Statement {
    const target = this.#target(true);
    if (this.skip('operator', '=')) {
      const value = this.tuple();
      this.expect('end');
      return { kind: 'set', target, value, line };
    }
    const filters: ((of: Expression) => Expression)[] = [];
    while (this.skip('operator', '|')) filters.push(this.filter());
    const body = this.#closedBody('set');
    const value = filters.reduce((of, filter) => filter(of), { kind: 'rendered', body, line } as Expression);
    return { kind: 'set', target, value, line };
  }

  #target(many: boolean): Target {
    const one = (): Target => {
      if (this.skip('operator', '(')) {
        const inner = this.#target(true);
        this.expect('operator', ')');
        return inner;
      }
      const { text: name, line } = this.expect('name');
      if (CONSTANTS.has(name)) throw new TemplateError(`'${name}' cannot be set`, line);
      if (!this.skip('operator', '.')) return { kind: 'name', name };
      return { kind: 'member', of: name, name: this.expect('name').text };
    };
    const first = one();
    if (!many || !this.is('operator', ',')) return first;
    const targets = [first];
    while (this.skip('operator', ',')) {
      if (this.isName('in') || this.is('operator', '=') || this.is('end') || this.is('operator', ')')) break;
      targets.push(one());
    }
    return { kind: 'targets', targets };
  }

  #parameters(): Parameter[] {
    this.expect('operator', '(');
    const parameters: Parameter[] = [];
    while (!this.skip('operator', ')')) {
      if (parameters.length > 0) this.expect('operator', ',');
      const name = this.expect('name').text;
      parameters.push({ name, fallback: this.skip('operator', '=') ? this.expression() : undefined });
    }
    return parameters;
  }
}
