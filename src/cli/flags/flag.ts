/**
 * How a flag of the command line is declared: one entry gives its spelling, its value and the rule for it, its default
 * and its text. The parser, the help, the reference of commands and the type that a command gets are all made of the entry.
 *
 * A table `{ maxSteps: integer('<number>', 'cap max_steps', { min: 1 }) }` declares `--max-steps <number>`.
 */

/** One flag. `Value` is what the command gets. */
export interface Flag<Value = unknown> {
  readonly text: string;
  /** Placeholder of its value in help, such as `<file>`; a switch has none. */
  readonly value?: string;
  /** The allowed values in words, if its text does not say them. */
  readonly rule?: string;
  /** The short form, as `c` for `-c`. */
  readonly letter?: string;
  /** Value if the flag is not given. */
  readonly default?: Value;
  /** Describes the behaviour without the flag, which the command determines itself. */
  readonly otherwise?: string;
  /** The command cannot do without it. */
  readonly isRequired?: true;
  /** May be given several times. */
  readonly isRepeatable?: true;
  /** All values there are. */
  readonly choices?: readonly string[];
  /** Flags that it cannot be combined with, by their names in the table. */
  readonly excludes?: readonly string[];
  /** Another way to say what a word says: understood, and not listed. */
  readonly isAlias?: true;
  /** The heading it has in help. */
  readonly group?: string;
  /**
   * @param text  as typed; empty for a switch
   * @param earlier  the value so far, if it may be repeated
   * @throws RangeError with the rule, for a value that it does not allow
   */
  read(text: string, earlier?: Value): Value;
}

/** The flags of a command, under the names they have in TypeScript. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** A flag that always has a value: required, or with a default. */
type Sure = { readonly default: unknown } | { readonly isRequired: true };

type ValueOf<F> = F extends { read(text: string, earlier?: never): infer Value } ? Value : never;

/** The flag values that a command gets. */
export type FlagValues<T extends FlagTable> = {
  readonly [N in keyof T as T[N] extends Sure ? N : never]: ValueOf<T[N]>;
} & {
  readonly [N in keyof T as T[N] extends Sure ? never : N]?: ValueOf<T[N]>;
};

/** What any flag may declare besides its value and text. */
type More = Partial<Pick<Flag, 'letter' | 'otherwise' | 'excludes'>>;

/** Given or not. */
export function toggle(text: string, more: Pick<More, 'letter' | 'otherwise' | 'excludes'> = {}): Flag<boolean> {
  return { text, ...more, read: () => true };
}

/** Any text. */
export function text(value: string, about: string, more: More = {}): Flag<string> {
  return { text: about, value, ...more, read: (given) => given };
}

/** A text, given as often as one likes. */
export function list(value: string, about: string): Flag<readonly string[]> {
  return {
    text: `${about}; repeatable`,
    value,
    isRepeatable: true,
    read: (given, earlier = []) => [...earlier, given],
  };
}

/** One of a few words. */
export function choice<const W extends readonly [string, ...string[]]>(
  value: string,
  about: string,
  choices: W,
): Flag<W[number]> {
  return { text: about, value, choices, read: (given) => given as W[number] }; // the parser has compared them
}

/** A whole number of a range. */
export function integer(
  value: string,
  about: string,
  { min, max = Number.MAX_SAFE_INTEGER, ...more }: More & { readonly min: number; readonly max?: number },
): Flag<number> {
  const rule = `whole number ${max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `of ${min} or more`}`;
  const read = (given: string): number => {
    const number = Number(given);
    if (given.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
    throw new RangeError(`use a ${rule}`);
  };
  return { text: about, value, rule, ...more, read };
}

/** The same flag with a default. */
export function withDefault<Value>(flag: Flag<Value>, value: Value): Flag<Value> & { readonly default: Value } {
  return { ...flag, default: value };
}

/** The same flag, required. */
export function required<Value>(flag: Flag<Value>): Flag<Value> & { readonly isRequired: true } {
  return { ...flag, isRequired: true };
}

/** The same flags below a heading of help. */
export function grouped<T extends FlagTable>(group: string, flags: T): T {
  const entries = Object.entries(flags).map(([name, flag]) => [name, { ...flag, group }]);
  return Object.fromEntries(entries) as T; // the same names, and of each the same flag
}

/** `maxSteps` as it is typed: `--max-steps`. */
export function spelled(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The flag's syntax in help, `-c, --config <file>`. */
export function syntaxOf(name: string, { letter, value }: Flag): string {
  const short = letter === undefined ? '' : `-${letter}, `;
  return `${short}${spelled(name)}${value === undefined ? '' : ` ${value}`}`;
}

/** The help text, including the behaviour without the flag. */
export function helpOf({ text: about, otherwise }: Flag): string {
  return otherwise === undefined ? about : `${about} (default: ${otherwise})`;
}
