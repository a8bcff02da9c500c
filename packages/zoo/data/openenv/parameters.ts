/** Parameters of MCP tools, which are JSON Schemas, as calls are read by: the types of each, whatever says them. */
import type { Json } from '../../../../src/options/json.ts';
import { type ToolParameter, VALUE_TYPES, type ValueType } from '../tools/tool.ts';
import { isMapping } from './wire.ts';

type Schema = Readonly<Record<string, Json>>;

/** References within references that are followed: a type may hold itself. */
const DEEPEST = 8;

/** The parameters that an input schema names, each with its schema as a model is shown it. */
export function offeredParameters(inputSchema: Json | undefined): Readonly<Record<string, ToolParameter>> {
  const { properties, required, ...rest } = isMapping(inputSchema) ? inputSchema : {};
  const needed = Array.isArray(required) ? required : [];
  const named = Object.entries(isMapping(properties) ? properties : {}).map(([key, given]) => {
    const schema = resolved(given, rest, 0);
    const types = isMapping(schema) ? typesOf(schema) : VALUE_TYPES;
    const parameter: ToolParameter = {
      type: types.length === 1 ? types[0] : types,
      ...wordsOf(schema),
      ...(!needed.includes(key) && { optional: true }),
      schema,
    };
    return [key, parameter] as const;
  });
  return Object.fromEntries(named);
}

/** A schema whose references are replaced by what they refer to. */
function resolved(schema: Json, root: Schema, depth: number): Json {
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, root, depth));
  if (!isMapping(schema)) return schema;
  const { $ref, ...rest } = schema;
  if (typeof $ref === 'string') {
    const [start, ...path] = $ref.split('/');
    let found: Json | undefined = start === '#' && depth < DEEPEST ? root : undefined;
    for (const name of path) found = isMapping(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    const referred = found === undefined ? {} : resolved(found, root, depth + 1);
    return isMapping(referred) ? { ...referred, ...(resolved(rest, root, depth) as Schema) } : rest;
  }
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, resolved(value, root, depth)]));
}

/** Every type where a schema names none. */
function typesOf(schema: Schema): readonly ValueType[] {
  const { type, anyOf, oneOf, allOf, enum: words, const: only } = schema;
  const named = [type].flat().filter((name) => VALUE_TYPES.some((known) => known === name)) as ValueType[]; // as filtered
  if (named.length > 0) return named;
  for (const several of [anyOf, oneOf]) {
    if (Array.isArray(several))
      return [...new Set(several.flatMap((one) => (isMapping(one) ? typesOf(one) : VALUE_TYPES)))];
  }
  if (Array.isArray(allOf))
    return allOf.map((one) => (isMapping(one) ? typesOf(one) : VALUE_TYPES)).reduce(common, VALUE_TYPES);
  const values = Array.isArray(words) ? words : only === undefined ? [] : [only];
  return values.length === 0 ? VALUE_TYPES : [...new Set(values.map(typeOf))];
}

function common(some: readonly ValueType[], others: readonly ValueType[]): readonly ValueType[] {
  return some.filter((type) => others.includes(type));
}

function typeOf(value: Json): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'string' | 'number' | 'boolean' | 'object'; // what else JSON has
}

/** The values that a parameter may have, where they are few and nothing else is allowed. */
function wordsOf(schema: Json): Pick<ToolParameter, 'enum'> {
  const words = isMapping(schema) && Array.isArray(schema.enum) ? schema.enum : undefined;
  return words === undefined
    ? {}
    : { enum: words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))) };
}
