/**
 * A record as JSON, from its values without a sign of their types, and a schema. @cfworker/json-schema checks that it fits.
 *
 *   verdict     right where it is JSON without a key twice, fits the schema, and has these values
 *   parts       json: it can be read; schema: it fits; values: it is the record
 */
import { canonicalJSON } from '../../../../../src/data/split.ts';
import type { Json } from '../../../../../src/options/json.ts';
import type { SchemaChecker } from '../../../sandbox/json_schema.ts';
import { lineTask, onlyMisses, RIGHT_SHARE, type Rng, rngFor, type TaskDefinition } from '../../kit.ts';
import { type JsonObject, type JsonRecordKnobs, jsonRecordCard, type Shape } from './card.ts';
import { factsOf, fieldsText, judgeRecord } from './record.ts';
import { drawSchema, drawValue } from './schema.ts';

export type JsonRecordItem = { readonly schema: Shape; readonly record: JsonObject };

const keyOf = ({ record }: JsonRecordItem): string => `json|${canonicalJSON(record)}`;

/** The values in an order of their own. */
function facts(item: JsonRecordItem): string[] {
  return rngFor(`order of values|${keyOf(item)}`).shuffle(factsOf(item.record));
}

const problemText = (item: JsonRecordItem): string => `${fieldsText(item.schema)}|${facts(item).join()}`;

/** The record of somebody who goes by how a value looks, and not by its type. */
function byLooks(value: Json): Json {
  if (Array.isArray(value)) return value.map(byLooks);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, byLooks(inner)]));
  }
  if (typeof value !== 'string') return value;
  return /^(?:0|[1-9][0-9]*)$/.test(value) ? Number(value) : ['yes', 'no'].includes(value) ? value === 'yes' : value;
}

function asTexts(value: Json): Json {
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asTexts(inner)]));
}

const draw = (rng: Rng, { fields, kinds, schema }: JsonRecordKnobs): JsonRecordItem => {
  const shape = schema ?? drawSchema(rng, fields, kinds);
  return { schema: shape, record: drawValue(rng, shape) as JsonObject };
};

/** Problems that the longest one is found among, where a config gives the schema. */
const DRAWN_FOR_LENGTH = 64;

/** Bounds of all drawn records by their fields: each an object with a text, or a list of three. */
function longestOf(knobs: JsonRecordKnobs): {
  readonly prompt: number;
  readonly answer: number;
  readonly schema: number;
} {
  if (knobs.schema === undefined) {
    const { fields } = knobs;
    return { prompt: fields * 26 + 2, answer: fields * 27 + 2, schema: 90 + fields * 130 };
  }
  const rng = rngFor(`longest|${canonicalJSON(knobs.schema)}`);
  const items = Array.from({ length: DRAWN_FOR_LENGTH }, () => draw(rng, knobs));
  const longest = (textOf: (item: JsonRecordItem) => string): number =>
    Math.max(...items.map((item) => textOf(item).length));
  // A drawn one may be a little longer than the longest of those.
  return {
    prompt: Math.ceil(1.25 * longest(problemText)) + 8,
    answer: Math.ceil(1.25 * longest(({ record }) => JSON.stringify(record))) + 8,
    schema: JSON.stringify(knobs.schema).length,
  };
}

export function jsonRecord(checker: SchemaChecker): TaskDefinition<JsonRecordItem, JsonRecordKnobs> {
  const judge = ({ schema, record }: JsonRecordItem, answer: string) => judgeRecord(checker, schema, record, answer);
  const line = lineTask<JsonRecordItem, JsonRecordKnobs>(jsonRecordCard, {
    family: 'json_record',
    answers: 'open',
    characters: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789{}[]":,.|=+>_- ',
    generate: draw,
    isFit: ({ schema, record }) => checker.misfit(schema, record) === undefined,
    key: keyOf,
    prompt: (item) => `${problemText(item)}>`,
    question: (item) =>
      `Write a record as JSON that fits this schema: ${JSON.stringify(item.schema)}. Its values are ${facts(item).join(', ')}; ` +
      'a dot leads into an object, + joins the items of a list, and yes and no are true and false unless they are texts. ' +
      'Answer with the JSON alone.',
    oracle: ({ record }) => JSON.stringify(record),
    demonstration: (item, _knobs, rng) =>
      JSON.stringify(rng.float() < RIGHT_SHARE ? item.record : rng.pick([byLooks, asTexts])(item.record)),
    verify: judge,
    mutants: (item, _knobs, rng) => {
      const { record, schema } = item;
      const right = JSON.stringify(record);
      const [name = '', ...others] = rng.shuffle(Object.keys(record));
      const first = JSON.stringify({ [name]: record[name] }).slice(1, -1);
      const without = Object.fromEntries(others.map((other) => [other, record[other]]));
      const texts: Readonly<Record<string, string>> = {
        'a key twice': `{${first},${right.slice(1)}`,
        'a key twice, once with an escape': `{${first.replace(/^"./, (start) => `"\\u${start.charCodeAt(1).toString(16).padStart(4, '0')}`)},${right.slice(1)}`,
        'a field left out': JSON.stringify(without),
        'a field more': JSON.stringify({ ...record, z: 1 }),
        'a field of all objects': `{"__proto__":1,${right.slice(1)}`,
        'half of a character as a name': `{"\\ud800":1,${right.slice(1)}`,
        'another name': JSON.stringify({ ...without, z: record[name] }),
        'types by their looks': JSON.stringify(byLooks(record)),
        'all as texts': JSON.stringify(asTexts(record)),
        'nothing in a field': JSON.stringify({ ...record, [name]: null }),
        'in a list': `[${right}]`,
        'as a text': JSON.stringify(right),
        'given twice': `${right}${right}`,
        'a comma at its end': right.replace(/\}$/, ',}'),
        'single quotes': right.replaceAll('"', "'"),
        'names without quotes': right.replace(/"(\w+)":/g, '$1:'),
        'a comment': `${right}//`,
        'a word before it': `json ${right}`,
        'cut short': right.slice(0, -1),
        'the schema': JSON.stringify(schema),
        'the problem': problemText(item),
      };
      return onlyMisses(texts, (text) => judge(item, text));
    },
    chance: () => 0.02,
    longest: (knobs) => {
      const { prompt, answer, schema } = longestOf(knobs);
      return { prompt: prompt + 1, answer, question: 300 + schema + prompt + knobs.fields };
    },
  });
  return { ...line, sandboxEngine: checker.engine };
}
