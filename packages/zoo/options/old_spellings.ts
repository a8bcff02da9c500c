/**
 * How options were declared before 0.2: `whole`, `real`, `unset`, and ranges with `least` and `most`. Files of users
 * that still do so work for one version, with a note (`find_old_spellings.ts`) that says what to write.
 */
import * as keys from '../../../src/options/keys.ts';
import type { OptionSchema, Schema } from '../../../src/options/option_schema.ts';
import type { OldRealRange, OldWholeRange, WholeRange } from '../../../src/options/ranges.ts';

/**
 * A whole number of a range.
 *
 * @deprecated write `integer({ min, max, example })`
 */
export function whole(range: OldWholeRange): OptionSchema<number> {
  return keys.integer(range as WholeRange); // which reads the old bounds too
}

/**
 * A finite real number of a range.
 *
 * @deprecated write `number({ min, max, example })`
 */
export function real(range: OldRealRange): OptionSchema<number> {
  return keys.number(range);
}

/**
 * The same key with `null` allowed and meaning "not given".
 *
 * @deprecated write `optional(schema)`
 */
export function unset<Value>(schema: Schema<Value>): OptionSchema<NonNullable<Value> | undefined> {
  return keys.optional(schema);
}
