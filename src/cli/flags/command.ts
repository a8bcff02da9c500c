/** Declares a command: a table next to its action, from which parser, help and documentation are made. */
import type { FlagTable, FlagValues } from './flag.ts';

/** A word that a command takes besides its flags. */
export interface Word {
  /** As help shows it: `<name>` must be given, `[file]` may be, `<name...>` and `[prompt...]` are several. */
  readonly syntax: string;
  readonly text?: string;
}

/** A command line to copy. */
export interface Example {
  /** What follows `rlvr-train`. */
  readonly words: string;
  readonly does: string;
  /** The source of its standard input, such as `cat prompts.txt`. */
  readonly pipe?: string;
}

export interface Command<Flags extends FlagTable = FlagTable> {
  readonly name: string;
  /** In a line. */
  readonly does: string;
  /** Usage after its name, if not `[options]` and its words. */
  readonly usage?: string;
  readonly words?: readonly Word[];
  /** It takes no words, and explains what given ones probably meant. */
  readonly explainsWords?: true;
  readonly flags?: Flags;
  /** Its name may be left out. */
  readonly isDefault?: true;
  /** Another name of what other commands do: understood, and not listed. */
  readonly isAlias?: true;
  /** The commands below it. */
  readonly inner?: readonly Command[];
  readonly examples?: readonly Example[];
  /**
   * @param words  as given @param all all commands, for messages about mistaken words
   * @throws RlvrError
   */
  run?(words: readonly string[], flags: FlagValues<Flags>, all: readonly Command[]): void | Promise<void>;
}

/** Declares a command: its action gets the values of its flags with their types. */
export function command<const Flags extends FlagTable = Record<never, never>>(declared: Command<Flags>): Command {
  return declared;
}
