/**
 * Runs the typed command, which program.ts parses.
 *
 * Exit codes: 0 done; 1 a mistake of the user, in one message without a stack; 70 a mistake of ours, with the stack;
 * 130 stopped by Ctrl-C, kill or a closed terminal, and saved; 141 the reader of standard output went away (`| head`),
 * or its disk is full: a training is saved.
 */
import { CommanderError } from 'commander';
import { nameCommand } from '../command_name.ts';
import { RlvrError } from '../errors.ts';
import { printError } from './display/output.ts';
import { UnknownFlag, unknownFlagLine } from './mistaken_words.ts';
import { type CommandParts, useParts } from './parts.ts';
import { endAfterHangup, watchNohup } from './process/hangup.ts';
import { howStarted } from './process/how_started.ts';
import { watchReader } from './process/lost_reader.ts';
import { program } from './program.ts';

/** Runs the typed command. @param parts  everything besides the frame and `train` */
export async function runCommand(parts: CommandParts): Promise<void> {
  useParts(parts);
  watchReader();
  watchNohup();
  nameCommand(howStarted(process.argv[1], process.cwd()));
  try {
    await program().parseAsync();
  } catch (error) {
    process.exitCode = await report(error);
  }
  endAfterHangup();
}

/** Tells the user; returns the exit code. */
async function report(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode; // commander has printed it
  if (error instanceof UnknownFlag) {
    printError(await unknownFlagLine(error));
    return 1;
  }
  if (error instanceof RlvrError) {
    printError(error.message);
    return 1;
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  printError(`unexpected error: ${message} (please report it with the lines below)\n${stack}`);
  return 70;
}
