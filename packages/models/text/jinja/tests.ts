/** Jinja's tests: what comes after `is`. */

import { operate } from './arithmetic.ts';
import { TemplateError } from './lexer.ts';
import {
  areEqual,
  Callable,
  compareValues,
  contains,
  Dict,
  numberOf,
  Once,
  Range,
  Safe,
  Tuple,
  textOf,
  Undefined,
  type Value,
  View,
} from './values.ts';

type Test = (value: Value, other: Value | undefined) => boolean;

function hasLength(value: Value): boolean {
  return typeof value === 'string' || Array.isArray(value) || value instanceof Tuple || value instanceof Dict;
}

function isIterable(value: Value): boolean {
  return hasLength(value) || [View, Once, Range, Undefined, Safe].some((kind) => value instanceof kind);
}

/** Is there an order to compare by: then as `holds` says of it. */
function ordered(holds: (order: number) => boolean, operator: string): Test {
  return (value, other) => holds(compareValues(value, other!, operator));
}

function rest(value: Value, by: Value): Value {
  return operate('%', value, by);
}

const EQUAL: Test = (value, other) => areEqual(value, other!);
const NOT_EQUAL: Test = (value, other) => !areEqual(value, other!);
const LESS = ordered((order) => order < 0, '<');
const MORE = ordered((order) => order > 0, '>');
const AT_MOST = ordered((order) => order <= 0, '<=');
const AT_LEAST = ordered((order) => order >= 0, '>=');

const WITH_ARGUMENT: Readonly<Record<string, Test>> = {
  eq: EQUAL,
  equalto: EQUAL,
  '==': EQUAL,
  ne: NOT_EQUAL,
  '!=': NOT_EQUAL,
  lt: LESS,
  lessthan: LESS,
  '<': LESS,
  gt: MORE,
  greaterthan: MORE,
  '>': MORE,
  le: AT_MOST,
  '<=': AT_MOST,
  ge: AT_LEAST,
  '>=': AT_LEAST,
  in: (value, holder) => contains(holder!, value),
  divisibleby: (value, by) => areEqual(rest(value, by!), 0n),
  sameas: (value, other) => {
    const isSimple = value === null || typeof value === 'boolean' || other === null || typeof other === 'boolean';
    if (!isSimple) throw new TemplateError("the test 'sameas' is supported for true, false and none");
    return value === other;
  },
};

const ALONE: Readonly<Record<string, Test>> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  integer: (value) => typeof value === 'bigint',
  float: (value) => typeof value === 'number',
  number: (value) => numberOf(value) !== undefined,
  string: (value) => typeof value === 'string' || value instanceof Safe,
  mapping: (value) => value instanceof Dict,
  sequence: (value) =>
    hasLength(value) || value instanceof Range || value instanceof Safe || value instanceof Undefined,
  iterable: isIterable,
  callable: (value) => value instanceof Callable || value instanceof Undefined,
  odd: (value) => areEqual(rest(value, 2n), 1n),
  even: (value) => areEqual(rest(value, 2n), 0n),
  lower: (value) => hasCase(textOf(value), 'toLowerCase'),
  upper: (value) => hasCase(textOf(value), 'toUpperCase'),
  escaped: (value) => value instanceof Safe,
};

function hasCase(text: string, change: 'toLowerCase' | 'toUpperCase'): boolean {
  return text === text[change]() && text.toLowerCase() !== text.toUpperCase();
}

/** @throws TemplateError where the test is unknown or has another number of arguments */
export function passes(name: string, value: Value, args: readonly Value[]): boolean {
  const table = Object.hasOwn(WITH_ARGUMENT, name) ? WITH_ARGUMENT : ALONE;
  if (!Object.hasOwn(table, name)) throw new TemplateError(`the test '${name}' is not supported`);
  const count = table === WITH_ARGUMENT ? 1 : 0;
  if (args.length !== count) throw new TemplateError(`the test '${name}' takes ${count} arguments, not ${args.length}`);
  return table[name](value, args[0]);
}

/** `a < b` and its like. */
export function compares(operator: string, left: Value, right: Value): boolean {
  if (operator === 'in') return contains(right, left);
  if (operator === 'not in') return !contains(right, left);
  return WITH_ARGUMENT[operator](left, right);
}
