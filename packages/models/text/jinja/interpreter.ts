/**
 * Renders a template's syntax tree with Python's semantics.
 *
 * A template is somebody else's text: steps, and what they make, are counted, and it cannot change what it is given.
 */
import { operate } from './arithmetic.ts';
import { filtered } from './filters.ts';
import { Endless, globalFunctions, RaisedByTemplate } from './globals.ts';
import { TemplateError } from './lexer.ts';
import { attributeOf, elementOf, Slice, unpacked } from './members.ts';
import { strftime } from './strftime.ts';
import type { Arguments, Body, Expression, Parameter, Statement, Target } from './syntax.ts';
import { compares, passes } from './tests.ts';
import {
  areEqual,
  CallArguments,
  Callable,
  Dict,
  isTrue,
  itemsOf,
  Members,
  Namespace,
  numberOf,
  pythonValue,
  Range,
  requireDefined,
  Tuple,
  textOf,
  typeOf,
  Undefined,
  type Value,
} from './values.ts';

/** Parts of a template that one rendering may evaluate; templates of today take some hundreds a message. */
const MOST_EVALUATIONS = 300_000;
/** Characters and list elements that one rendering may make or look at; a hundred long messages take some millions. */
const MOST_MADE = 20_000_000;

/** Names and their values; an inner scope reads the outer ones and sets its own. */
class Scope {
  readonly #values = new Map<string, Value>();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  get(name: string): Value | undefined {
    return this.#values.has(name) ? this.#values.get(name) : this.#outer?.get(name);
  }
}

/** How a loop's body ended. */
type Ending = 'break' | 'continue' | undefined;

/**
 * @param values  by name, as JSON has them
 * @param now  what `strftime_now` writes; absent: the function is undefined
 * @throws TemplateError with the line, or with line 0 where the template itself raises
 */
export function renderTemplate(body: Body, values: Readonly<Record<string, unknown>>, now?: Date): string {
  return new Interpreter(values, now).render(body);
}

class Interpreter {
  readonly #globals = new Scope();
  #left = MOST_EVALUATIONS;
  #made = 0;
  #line = 1;
  /** What lists and mappings hold as written out, in which one that is there twice counts twice. */
  readonly #sizes = new WeakMap<object, number>();

  constructor(values: Readonly<Record<string, unknown>>, now: Date | undefined) {
    for (const [name, value] of Object.entries(globalFunctions())) this.#globals.set(name, value);
    if (now !== undefined) {
      const written = (args: CallArguments): Value =>
        strftime(textOf(args.take('strftime_now', 'format')[0] ?? ''), now);
      this.#globals.set('strftime_now', new Callable('strftime_now', written));
    }
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined) this.#globals.set(name, pythonValue(value));
    }
  }

  render(body: Body): string {
    try {
      return this.#rendered(body, new Scope(this.#globals));
    } catch (error) {
      if (error instanceof RaisedByTemplate || error instanceof Endless) throw error;
      throw new TemplateError(error instanceof Error ? error.message : String(error), this.#line);
    }
  }

  #rendered(body: Body, scope: Scope): string {
    const output: string[] = [];
    this.#run(body, scope, output);
    return output.join('');
  }

  #count(line: number): void {
    if (this.#left-- === 0) throw new Endless(`it does not end (stopped after ${MOST_EVALUATIONS} steps)`);
    this.#line = line;
  }

  #countMade(size: number): void {
    this.#made += size;
    if (this.#made > MOST_MADE) throw new Endless(`it makes more than ${MOST_MADE} characters and elements`);
  }

  #sizeOf(value: Value): number {
    if (typeof value === 'string') return value.length;
    if (!Array.isArray(value) && !(value instanceof Tuple) && !(value instanceof Dict)) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = 1;
    const inner = value instanceof Dict ? value.values() : itemsOf(value);
    for (const each of inner) size += this.#sizeOf(each);
    this.#sizes.set(value, size);
    return size;
  }

  // Statements.

  #run(body: Body, scope: Scope, output: string[]): Ending {
    for (const statement of body) {
      const ending = this.#runOne(statement, scope, output);
      if (ending !== undefined) return ending;
    }
    return undefined;
  }

  #runOne(statement: Statement, scope: Scope, output: string[]): Ending {
    this.#count(statement.line);
    switch (statement.kind) {
      case 'text':
        this.#countMade(statement.text.length);
        output.push(statement.text);
        return undefined;
      case 'print': {
        const text = textOf(this.#evaluate(statement.of, scope));
        this.#countMade(text.length);
        output.push(text);
        return undefined;
      }
      case 'if': {
        const branch = statement.branches.find(({ test }) => isTrue(this.#evaluate(test, scope)));
        return this.#run(branch?.body ?? statement.otherwise, scope, output);
      }
      case 'for':
        this.#loop(statement, this.#evaluate(statement.over, scope), scope, output, 0);
        return undefined;
      case 'set':
        this.#assign(statement.target, this.#evaluate(statement.value, scope), scope);
        return undefined;
      case 'macro': {
        const { name, parameters, body } = statement;
        scope.set(name, this.#macro(name, parameters, body, scope));
        return undefined;
      }
      case 'call-block': {
        const { call, parameters, body } = statement;
        const caller = this.#macro('caller', parameters, body, scope);
        const args = this.#arguments(call.args, scope);
        const named = new Map([...args.named, ['caller', caller as Value] as const]);
        const text = textOf(this.#call(this.#evaluate(call.callee, scope), new CallArguments(args.positional, named)));
        output.push(text);
        return undefined;
      }
      case 'scope': {
        const inner = new Scope(scope);
        for (const [target, value] of statement.values) this.#assign(target, this.#evaluate(value, inner), inner);
        return this.#run(statement.body, inner, output);
      }
      default:
        return statement.kind;
    }
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === 'name') scope.set(target.name, value);
    else if (target.kind === 'member') {
      const holder = scope.get(target.of);
      if (!(holder instanceof Namespace)) throw new TemplateError('cannot assign attribute on non-namespace object');
      holder.values.set(target.name, value);
    } else {
      const values = unpacked(value, target.targets.length);
      target.targets.forEach((inner, i) => this.#assign(inner, values[i], scope));
    }
  }

  #loop(loop: Extract<Statement, { kind: 'for' }>, over: Value, scope: Scope, output: string[], depth: number): void {
    const { target, test, body, otherwise, isRecursive } = loop;
    const items = itemsOf(over).filter((item) => {
      if (test === undefined) return true;
      const inner = new Scope(scope);
      this.#assign(target, item, inner);
      return isTrue(this.#evaluate(test, inner));
    });
    const again = new Callable('loop', (args) => {
      const inner: string[] = [];
      this.#loop(loop, args.positional[0] ?? null, scope, inner, depth + 1);
      return inner.join('');
    });
    let changed: readonly Value[] | undefined;
    for (const [index, item] of items.entries()) {
      const inner = new Scope(scope);
      const members: Readonly<Record<string, () => Value>> = {
        index: () => BigInt(index + 1),
        index0: () => BigInt(index),
        revindex: () => BigInt(items.length - index),
        revindex0: () => BigInt(items.length - index - 1),
        first: () => index === 0,
        last: () => index === items.length - 1,
        length: () => BigInt(items.length),
        depth: () => BigInt(depth + 1),
        depth0: () => BigInt(depth),
        previtem: () => (index === 0 ? new Undefined('there is no previous item') : items[index - 1]),
        nextitem: () => (index + 1 === items.length ? new Undefined('there is no next item') : items[index + 1]),
        cycle: () =>
          new Callable('cycle', ({ positional }) => {
            if (positional.length === 0) throw new TemplateError('no items for cycling given');
            return positional[index % positional.length];
          }),
        changed: () =>
          new Callable('changed', ({ positional }) => {
            const isSame = changed !== undefined && areEqual(new Tuple(changed), new Tuple(positional));
            changed = positional;
            return !isSame;
          }),
      };
      const own = new Members('LoopContext', (name) => (Object.hasOwn(members, name) ? members[name]() : undefined));
      if (isRecursive) this.#recursions.set(own, again);
      inner.set('loop', own);
      this.#assign(target, item, inner);
      this.#count(loop.line);
      if (this.#run(body, inner, output) === 'break') break;
    }
    if (items.length === 0) this.#run(otherwise, new Scope(scope), output);
  }

  /** What `loop(…)` calls in a recursive loop. */
  readonly #recursions = new WeakMap<Members, Callable>();

  #macro(name: string, parameters: readonly Parameter[], body: Body, scope: Scope): Callable {
    const usesCaller = name !== 'caller' && mentions(body, 'caller');
    if (mentions(body, 'varargs') || mentions(body, 'kwargs')) {
      throw new TemplateError(`varargs and kwargs of the macro '${name}' are not supported`);
    }
    return new Callable(name, (args) => {
      const caller = args.named.get('caller');
      if (caller !== undefined && !usesCaller) {
        throw new TemplateError(`macro '${name}' was invoked with two values for the special caller argument`);
      }
      const named = new Map([...args.named].filter(([key]) => key !== 'caller'));
      const given = new CallArguments(args.positional, named).take(`macro '${name}'`, ...parameters.map((p) => p.name));
      const inner = new Scope(scope);
      if (usesCaller) inner.set('caller', caller ?? new Undefined('No caller defined'));
      parameters.forEach(({ name: parameter, fallback }, i) => {
        const missing = (): Value =>
          fallback === undefined
            ? new Undefined(`parameter '${parameter}' was not provided`)
            : this.#evaluate(fallback, inner);
        inner.set(parameter, given[i] ?? (given[i] === null ? null : missing()));
      });
      return this.#rendered(body, inner);
    });
  }

  // Expressions.

  #evaluate(expression: Expression, scope: Scope): Value {
    this.#count(expression.line);
    const value = this.#valueOf(expression, scope);
    if (typeof value === 'string') this.#countMade(value.length);
    else if (value instanceof Range) this.#countMade(value.items.length);
    else if (Array.isArray(value) || value instanceof Tuple || value instanceof Dict) {
      if (Array.isArray(value)) this.#countMade(value.length);
      if (this.#sizeOf(value) > MOST_MADE) this.#countMade(MOST_MADE + 1);
    }
    return value;
  }

  #valueOf(expression: Expression, scope: Scope): Value {
    const evaluate = (of: Expression): Value => this.#evaluate(of, scope);
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'name':
        return this.#named(expression.name, scope);
      case 'list':
        return expression.items.map(evaluate);
      case 'tuple':
        return new Tuple(expression.items.map(evaluate));
      case 'dict':
        return new Dict(expression.items.map(([key, value]) => [evaluate(key), evaluate(value)] as const));
      case 'unary':
        return unary(expression.operator, evaluate(expression.of));
      case 'binary': {
        const { operator, left, right } = expression;
        const first = evaluate(left);
        if (operator === 'and') return isTrue(first) ? evaluate(right) : first;
        if (operator === 'or') return isTrue(first) ? first : evaluate(right);
        return operate(operator, first, evaluate(right));
      }
      case 'concat': {
        const parts = expression.parts.map(evaluate);
        return parts.map(textOf).join('');
      }
      case 'compare': {
        let left = evaluate(expression.first);
        for (const { operator, of } of expression.rest) {
          const right = evaluate(of);
          if (!compares(operator, left, right)) return false;
          left = right;
        }
        return true;
      }
      case 'condition':
        if (isTrue(evaluate(expression.test))) return evaluate(expression.value);
        if (expression.otherwise !== undefined) return evaluate(expression.otherwise);
        return new Undefined('the inline if-expression evaluated to false and no else section was defined.');
      case 'attribute':
        return attributeOf(evaluate(expression.of), expression.name);
      case 'item': {
        const of = evaluate(expression.of);
        const { index } = expression;
        if (index.kind !== 'slice') return elementOf(of, evaluate(index));
        return elementOf(
          of,
          new Slice(index.bounds.map((bound) => (bound === undefined ? undefined : evaluate(bound)))),
        );
      }
      case 'slice':
        throw new TemplateError('a slice within an index of several parts is not supported');
      case 'call':
        return this.#call(evaluate(expression.callee), this.#arguments(expression.args, scope));
      case 'filter':
        return filtered(expression.name, evaluate(expression.of), this.#arguments(expression.args, scope));
      case 'test': {
        const { positional, named } = this.#arguments(expression.args, scope);
        if (named.size > 0) throw new TemplateError('named arguments of a test are not supported');
        return passes(expression.name, evaluate(expression.of), positional) !== expression.isNegated;
      }
      default:
        return this.#rendered(expression.body, new Scope(scope));
    }
  }

  #named(name: string, scope: Scope): Value {
    const value = scope.get(name);
    if (value !== undefined) return value;
    const remedy = name === 'strftime_now' ? '; give chat_template_kwargs: {strftime_now: 2026-11-30}' : '';
    return new Undefined(`'${name}' is undefined${remedy}`);
  }

  #arguments({ positional, named }: Arguments, scope: Scope): CallArguments {
    return new CallArguments(
      positional.map((each) => this.#evaluate(each, scope)),
      new Map(named.map(([name, value]) => [name, this.#evaluate(value, scope)])),
    );
  }

  #call(callee: Value, args: CallArguments): Value {
    requireDefined(callee);
    const called = callee instanceof Members ? this.#recursions.get(callee) : callee;
    if (called instanceof Callable) return called.call(args);
    throw new TemplateError(`'${typeOf(callee)}' object is not callable`);
  }
}

function unary(operator: string, value: Value): Value {
  if (operator === 'not') return !isTrue(value);
  requireDefined(value);
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`bad operand type for unary ${operator}: '${typeOf(value)}'`);
  return operator === '-' ? -number : number;
}

/** Does the body read a name; what sets it first does not matter to Jinja either. */
function mentions(tree: unknown, name: string): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  if ((tree as { kind?: unknown }).kind === 'name' && (tree as { name?: unknown }).name === name) return true;
  return Object.values(tree).some((inner) => mentions(inner, name));
}
