/** A declared option as plain data: for lists, documentation and the controls of a page. */
import { z } from 'zod';
import type { Json } from '../../../src/options/json.ts';
import type { Key, KeyTable } from '../../../src/options/keys.ts';
import { zodOf } from '../../../src/options/schemas.ts';
import { flowText } from './flow_text.ts';

/** What an option takes, where a control can be made of it. A value that may be null, too, is left out for it. */
export type OptionType =
  | { readonly type: 'number'; readonly whole: boolean; readonly least?: number; readonly most?: number }
  | { readonly type: 'flag' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'other' };

/** An option of a task, a reward or a method in words. */
export type OptionText = OptionType & {
  /** In the spelling of the YAML. */
  readonly name: string;
  /** What it takes, in words: `whole number from 2 to 9`, `number above 0 or null`. A control's bounds may be excluded. */
  readonly rule: string;
  /** What it means. The default is said only where there is more to say of it than its value. */
  readonly text: string;
  /** Absent where the option has none; `isNeeded` then says whether it must be given. */
  readonly default?: Json;
  readonly isNeeded: boolean;
  /** A value that the rule allows. */
  readonly example?: Json;
};

/** The part of draft 7 that declarations of options come to. */
interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly ValueSchema[];
  readonly oneOf?: readonly ValueSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly examples?: readonly Json[];
}

/** Every option of a table, in its order. */
export function describeOptions(table: KeyTable): OptionText[] {
  return Object.values(table).map(describeOption);
}

export function describeOption({ yaml, schema: declared, schedule }: Key): OptionText {
  const schema = zodOf(declared);
  const written = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' }) as ValueSchema;
  const absent = schema.safeParse(undefined);
  const fallback = absent.data as Json | undefined; // what a declaration reads is plain data
  const [example] = examplesOf(written);
  return {
    ...typeOf(written),
    name: yaml,
    rule: `${either(wordsOf(written))}${schedule === undefined ? '' : ', or a schedule'}`,
    text: filledIn(schema.description ?? '', fallback),
    ...(fallback !== undefined && { default: fallback }),
    isNeeded: !absent.success,
    ...(example !== undefined && { example }),
  };
}

function typeOf(schema: ValueSchema): OptionType {
  const { type, enum: choices, exclusiveMinimum, exclusiveMaximum, anyOf = [] } = schema;
  const alternatives = [...anyOf, ...severalTypes(type)].filter((alternative) => alternative.type !== 'null');
  if (alternatives.length > 0) return typeOfSeveral(alternatives.map(typeOf));
  if (type === 'boolean') return { type: 'flag' };
  if (choices?.every((choice) => typeof choice === 'string')) return { type: 'choice', choices };
  if (type !== 'number' && type !== 'integer') return { type: 'other' };
  const { least = exclusiveMinimum, most = exclusiveMaximum } = rangeOf(schema);
  const bounds = { ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
  return { type: 'number', whole: type === 'integer', ...bounds };
}

/** `type: [boolean, null]` as alternatives. */
function severalTypes(type: ValueSchema['type']): readonly ValueSchema[] {
  return Array.isArray(type) ? type.map((each: string) => ({ type: each })) : [];
}

/** Words and flags together are a choice of both. */
function typeOfSeveral(types: readonly OptionType[]): OptionType {
  const [first] = types;
  if (first !== undefined && types.length === 1) return first;
  const choices = types.flatMap((one) =>
    one.type === 'choice' ? one.choices : one.type === 'flag' ? ['true', 'false'] : [],
  );
  const isChoice = types.every(({ type }) => type === 'choice' || type === 'flag');
  return isChoice ? { type: 'choice', choices } : { type: 'other' };
}

function examplesOf({ examples, anyOf = [] }: ValueSchema): readonly Json[] {
  return examples ?? anyOf.flatMap(examplesOf);
}

/** Where the text of an option has its default, with a word on why. */
const DEFAULT = '{default}';

/** The text of an option, with `{default}` replaced by its default. */
function filledIn(text: string, fallback: Json | undefined): string {
  return fallback === undefined ? text : text.replace(DEFAULT, valueWords(fallback));
}

/** The text, followed by the default unless the text names it: for readers who see nothing but texts. */
export function textWithDefault(text: string, fallback: Json | undefined): string {
  const isSaid = fallback === undefined || /\b[Dd]efault\b/.test(text);
  return isSaid ? filledIn(text, fallback) : `${text} Default ${valueWords(fallback)}.`;
}

/** A value as the YAML has it, in a line. */
export function valueWords(value: Json | undefined): string {
  if (value === '') return 'none';
  if (typeof value === 'number' && value !== 0 && Math.abs(value) < 1e-4) return value.toExponential();
  if (typeof value === 'object' && value !== null) return flowText(value);
  return String(value);
}

/** `a`, `a or b`, `a, b or c`. */
function either(words: readonly string[]): string {
  const unique = [...new Set(words)];
  const last = unique.pop() ?? 'any value';
  return unique.length === 0 ? last : `${unique.join(', ')} or ${last}`;
}

/** What a value may be: one entry per alternative. */
function wordsOf(schema: ValueSchema): string[] {
  const alternatives = schema.anyOf ?? schema.oneOf ?? severalTypes(schema.type);
  if (alternatives.length > 0) return alternatives.flatMap(wordsOf);
  if (schema.enum !== undefined) return schema.enum.map(String);
  if (schema.const !== undefined) return [String(schema.const)];
  switch (schema.type) {
    case 'integer':
      return [`whole number${boundsOf(schema)}`];
    case 'number':
      return [`number${boundsOf(schema)}`];
    case 'boolean':
      return ['true', 'false'];
    case 'string':
      return ['text'];
    case 'null':
      return ['null'];
    case 'array':
      return ['list'];
    case 'object':
      return ['mapping'];
    default:
      return ['any value'];
  }
}

function boundsOf(schema: ValueSchema): string {
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  const { least, most } = rangeOf(schema);
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  const bounds = [
    ...(least === undefined ? [] : [`of ${least} or more`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`below ${exclusiveMaximum}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
  ];
  return bounds.length === 0 ? '' : ` ${bounds.join(' and ')}`;
}

/** Bounds that are included. The first and the last whole number that is exact are zod's own, and say nothing. */
function rangeOf({ minimum, maximum }: ValueSchema): { readonly least?: number; readonly most?: number } {
  return {
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && { least: minimum }),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && { most: maximum }),
  };
}
