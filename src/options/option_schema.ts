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

/** A schema that is being declared: `integer({ min: 1, example: 8 }).default(8).describe('How many.')`. */
export interface OptionSchema<Value> extends Schema<Value> {
  default(value: Exclude<Value, undefined>): OptionSchema<Exclude<Value, undefined>>;
  /** May be left out, and is then undefined. */
  optional(): OptionSchema<Value | undefined>;
  nullable(): OptionSchema<Value | null>;
  /**
   * One or two sentences for help, documentation and editors. They say the default after these, from its value; a text that
   * has more to say of it writes `{default}` for the value: `Default {default} (TRL: 1).`
   */
  describe(text: string): OptionSchema<Value>;
}
