/** A declared option as plain data: for lists, documentation and the controls of a page. */
import { z } from 'zod';
import type { Json } from './json.ts';
import type { KeyTable } from './keys.ts';

/** What an option takes, where a control can be made of it. */
export type OptionType =
  | { readonly type: 'number'; readonly whole: boolean; readonly least?: number; readonly most?: number }
  | { readonly type: 'flag' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'other' };

export type OptionText = OptionType & {
  /** In the spelling of the YAML. */
  readonly name: string;
  readonly text: string;
  /** Absent where the option has none; `isNeeded` then says whether it must be given. */
  readonly default?: Json;
  readonly isNeeded: boolean;
};

/** Every option of a table, in its order. */
export function describeOptions(table: KeyTable): OptionText[] {
  return Object.values(table).map(({ yaml, schema }) => {
    const written = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
    return {
      ...typeOf(written),
      name: yaml,
      text: schema.description ?? '',
      ...(written.default !== undefined && { default: written.default as Json }), // a default is plain data
      isNeeded: !schema.safeParse(undefined).success,
    };
  });
}

function typeOf(schema: z.core.JSONSchema.BaseSchema): OptionType {
  const { type, enum: choices, minimum, maximum, exclusiveMinimum } = schema;
  const branches = (schema.anyOf ?? []).filter((branch) => branch.type !== 'null');
  if (branches.length > 0) return typeOfSeveral(branches.map(typeOf));
  if (type === 'boolean') return { type: 'flag' };
  if (choices?.every((choice) => typeof choice === 'string')) return { type: 'choice', choices };
  if (type !== 'number' && type !== 'integer') return { type: 'other' };
  const least = minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum : undefined); // draft 7: a number
  return {
    type: 'number',
    whole: type === 'integer',
    ...(least !== undefined && least > Number.MIN_SAFE_INTEGER && { least }),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && { most: maximum }),
  };
}

/** Of words and flags, a choice of both. */
function typeOfSeveral(types: readonly OptionType[]): OptionType {
  const [first] = types;
  if (first !== undefined && types.length === 1) return first;
  const choices = types.flatMap((one) =>
    one.type === 'choice' ? one.choices : one.type === 'flag' ? ['true', 'false'] : [],
  );
  const isChoice = types.every(({ type }) => type === 'choice' || type === 'flag');
  return isChoice ? { type: 'choice', choices } : { type: 'other' };
}

/** `2 to 9`, `0 or more`, `steps, expression`, `true, false`: what an option takes, in words. */
export function takesText(option: OptionText): string {
  switch (option.type) {
    case 'flag':
      return 'true, false';
    case 'choice':
      return option.choices.join(', ');
    case 'other':
      return 'a text, list or mapping';
    case 'number': {
      const { whole, least, most } = option;
      if (least !== undefined && most !== undefined) return `${least} to ${most}`;
      const kind = whole ? 'a whole number' : 'a number';
      return least === undefined ? kind : `${kind} from ${least}`;
    }
    default:
      return option satisfies never;
  }
}
