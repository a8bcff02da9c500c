/**
 * The schema of one option, as declarations of the package name it: zod makes it, and zod's own types stay inside, since
 * they need those of a browser or of Node.
 */

/** Reads a value and gives it, with its default filled in. */
export interface Schema<Value> {
  /** For the compiler alone: what the schema gives. */
  readonly _output: Value;
  readonly description?: string | undefined;
}

/** A schema that is being declared: `integer({ min: 1, example: 8 }).default(8).describe('How many. Default 8.')`. */
export interface OptionSchema<Value> extends Schema<Value> {
  default(value: Exclude<Value, undefined>): OptionSchema<Exclude<Value, undefined>>;
  /** May be left out, and is then undefined. */
  optional(): OptionSchema<Value | undefined>;
  nullable(): OptionSchema<Value | null>;
  /** One or two sentences for help, documentation and editors. */
  describe(text: string): OptionSchema<Value>;
}
