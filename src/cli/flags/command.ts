/** How a command is declared: a table beside its action, of which parser, help and documentation are made. */
import type { FlagTable, FlagValues } from './flag.ts';

/** A word that a command takes beside its flags. */
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
  /** What its standard input comes from, as `cat prompts.txt`. */
  readonly pipe?: string;
}

export interface Command<Flags extends FlagTable = FlagTable> {
  readonly name: string;
  /** In a line. */
  readonly does: string;
  /** What follows its name, where it is not `[options]` and its words. */
  readonly usage?: string;
  readonly words?: readonly Word[];
  /** It takes no words, and says of those that are given what was probably meant. */
  readonly explainsWords?: true;
  readonly flags?: Flags;
  /** Its name may be left out. */
  readonly isDefault?: true;
  /** The commands below it. */
  readonly inner?: readonly Command[];
  readonly examples?: readonly Example[];
  /**
   * @param words  those that were given
   * @param all  the commands there are, for what is said of a mistaken word
   * @throws RlvrError
   */
  run?(words: readonly string[], flags: FlagValues<Flags>, all: readonly Command[]): void | Promise<void>;
}

/** Declares a command: its action gets the values of its flags with their types. */
export function command<const Flags extends FlagTable = Record<never, never>>(declared: Command<Flags>): Command {
  return declared;
}
