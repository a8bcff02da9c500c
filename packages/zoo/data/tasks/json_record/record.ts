/** A record as a line says it, and the verdict on one that is written as JSON. */
import { canonicalJSON } from '../../../../../src/data/split.ts';
import type { Json } from '../../../../../src/options/json.ts';
import { readJson } from '../../../parsing/json_value.ts';
import type { SchemaChecker } from '../../../sandbox/json_schema.ts';
import { illegal, malformed, missing, trimAscii, type Verdict, wrongValue } from '../../kit.ts';
import type { JsonObject, Shape } from './card.ts';

const SHORT_TYPES: Readonly<Record<string, string>> = { integer: 'int', string: 'str', boolean: 'bool' };

/** `a:str,b:[int]` of the fields of a schema. */
export function fieldsText({ properties }: Shape): string {
  return Object.entries(properties as Readonly<Record<string, Shape>>)
    .map(([name, shape]) => `${name}:${typeText(shape)}`)
    .join();
}

function typeText(shape: Shape): string {
  const { type, items } = shape;
  if (type === 'array') return `[${typeText(items as Shape)}]`;
  return type === 'object' ? `{${fieldsText(shape)}}` : SHORT_TYPES[String(type)];
}

/** `b=12` for each value, without a sign of its type; `e.x=12` for one within. */
export function factsOf(record: JsonObject, prefix = ''): string[] {
  return Object.entries(record).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? factsOf(value as JsonObject, `${prefix}${name}.`)
      : [`${prefix}${name}=${valueText(value)}`],
  );
}

function valueText(value: Json): string {
  if (Array.isArray(value)) return value.map(valueText).join('+');
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

/** Right where a text is JSON without a key twice, fits the schema, and is the record, its fields in any order. */
export function judgeRecord(checker: SchemaChecker, schema: Json, record: Json, answer: string): Verdict {
  const parts = (json: number, fits: number, values: number) => ({ parts: { json, schema: fits, values } });
  if (trimAscii(answer) === '') return { ...missing('the answer is empty'), ...parts(0, 0, 0) };
  const reading = readJson(answer);
  if (!reading.ok) return { ...malformed(reading.reason), ...parts(0, 0, 0) };
  const misfit = checker.misfit(schema, reading.value);
  if (misfit !== undefined) return { ...illegal(`it does not fit the schema at ${misfit}`), ...parts(1, 0, 0) };
  const canonical = canonicalJSON(reading.value);
  return canonical === canonicalJSON(record)
    ? { score: 1, status: 'correct', reason: 'the record that is asked for', canonical, ...parts(1, 1, 1) }
    : { ...wrongValue('another record'), canonical, ...parts(1, 1, 0) };
}
