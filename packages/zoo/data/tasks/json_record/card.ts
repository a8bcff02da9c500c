/** What json_record is and which knobs it has. */
import { z } from 'zod';
import type { ListedCard } from '../../../../../src/data/task.ts';
import type { Json } from '../../../../../src/options/json.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';
import type { BrokenRule } from '../../../../../src/options/read.ts';
import { optional, plainData } from '../../../../../src/options/schemas.ts';

/** A schema in the words of JSON Schema that a record can be drawn of; it may have others, which the record then meets. */
export type Shape = { readonly [keyword: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

const TYPES = ['integer', 'string', 'boolean', 'array', 'object'];
/** What a name or a text may be, so that a line can say it. */
const PLAIN = /^[A-Za-z0-9_-]{1,12}$/;
const MOST_FIELDS = 8;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is wrong with a schema that a config gives, as `place: rule; remedy`; undefined where a record can be drawn of it. */
export function schemaFlaw(schema: Json, at = 'schema', depth = 0): string | undefined {
  if (!isObject(schema)) return `${at}: must be a mapping, a schema; for example {type: integer}`;
  for (const keyword of ['$ref', '$dynamicRef']) {
    const { [keyword]: target } = schema;
    if (target === undefined) continue;
    const where = /^[a-z][a-z0-9+.-]*:|^\/\//i.test(String(target)) ? 'a network address' : 'another place';
    return `${at}.${keyword}: ${String(target)} refers to ${where}, and nothing is fetched or followed; write the schema itself there`;
  }
  const { type, properties, items, enum: words, minimum, maximum } = schema;
  if (!TYPES.includes(String(type))) {
    return `${at}.type: ${JSON.stringify(type ?? null)} is none that a record is drawn of; use ${TYPES.join(', ')}`;
  }
  if (depth === 0 && type !== 'object') return `${at}.type: a record is an object; use object`;
  if (type === 'array') {
    const inner = schemaFlaw(items ?? null, `${at}.items`, depth + 1);
    return (
      inner ??
      (['array', 'object'].includes(String((items as Shape).type))
        ? `${at}.items: must be of integers, texts or booleans; give the type integer, string or boolean`
        : undefined)
    );
  }
  if (type === 'object') {
    if (depth > 2) return `${at}: objects are within each other more than twice; leave one out`;
    if (!isObject(properties) || Object.keys(properties).length === 0)
      return `${at}.properties: there are none; name one`;
    if (Object.keys(properties).length > MOST_FIELDS)
      return `${at}.properties: more than ${MOST_FIELDS}; leave some out`;
    for (const [name, inner] of Object.entries(properties)) {
      if (!PLAIN.test(name))
        return `${at}.properties: ${JSON.stringify(name)} cannot be said in a line; use up to 12 letters, digits, _ and -`;
      const flaw = schemaFlaw(inner, `${at}.properties.${name}`, depth + 1);
      if (flaw !== undefined) return flaw;
    }
  }
  const isPlain = (word: Json): boolean => type !== 'string' || (typeof word === 'string' && PLAIN.test(word));
  if (words !== undefined && !(Array.isArray(words) && words.length > 0 && words.every(isPlain))) {
    return `${at}.enum: must list texts of up to 12 letters, digits, _ and -; for example [red, green]`;
  }
  const [least, most] = [Number(minimum ?? 0), Number(maximum ?? minimum ?? 0)];
  if (type === 'integer' && !(Number.isInteger(least) && least >= 0 && most >= least && most < 1e6)) {
    return `${at}: minimum and maximum must be whole numbers from 0 to 999999, in order; for example 0 and 9`;
  }
  return undefined;
}

const KNOBS = options({
  fields: integer({ min: 1, max: 6, example: 3 }).default(2).describe('Fields of a record.'),
  kinds: integer({ min: 1, max: 3, example: 1 })
    .default(1)
    .describe('Numbers and texts (1), yes or no and lists too (2), an object within too (3).'),
  schema: optional(
    z.record(z.string(), plainData(), {
      error: 'must be a JSON schema; for example {type: object, properties: {age: {type: integer}}}',
    }),
  ).describe('A JSON schema that all records have, in the place of drawn ones. Default: drawn ones.'),
});

export type JsonRecordKnobs = Values<typeof KNOBS>;

function checkKnobs({ schema }: JsonRecordKnobs): BrokenRule[] {
  const flaw = schema === undefined ? undefined : schemaFlaw(schema);
  return flaw === undefined ? [] : [{ key: 'schema', rule: flaw }];
}

export const jsonRecordCard = {
  name: 'json_record',
  does: 'Write a record as JSON that fits its schema.',
  example: ['a:str,b:int|b=12,a=7>', '{"a":"7","b":12}'],
  version: 1,
  category: 'text',
  tier: 2,
  sandbox: 'json-schema',
  parts: ['json', 'schema', 'values'],
  knobs: KNOBS,
  checkKnobs,
  levels: [{}, { fields: 3, kinds: 2 }, { fields: 4, kinds: 3 }, { fields: 6, kinds: 3 }],
  attributes: { fields: [1, 2, 3, 4, 5, 6], kinds: [1, 2, 3] },
} satisfies ListedCard<JsonRecordKnobs>;
