/** What the command does when it is called with these words, without a process of its own. */
import { CommanderError } from 'commander';
import { vi } from 'vitest';
import { UnknownFlag, unknownFlagLine } from '../../src/cli/mistaken_words.ts';
import { program } from '../../src/cli/program.ts';
import { RlvrError } from '../../src/errors.ts';

/** Parses as the command line would; gives the error and what went to standard output and error. */
export async function run(...words: string[]): Promise<{ error: unknown; out: string; err: string }> {
  const written = { out: '', err: '' };
  const catchWrites = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    written[stream] += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(catchWrites('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(catchWrites('err'));
  const error: unknown = await program()
    .parseAsync(words, { from: 'user' })
    .then(
      () => undefined,
      (cause: unknown) => cause,
    );
  vi.restoreAllMocks();
  if (error instanceof UnknownFlag) written.err += await unknownFlagLine(error);
  return { error, ...written };
}

/** The message that the command ends with, as command_line.ts would print it. */
export async function messageOf(words: readonly string[]): Promise<string> {
  const { error, err } = await run(...words);
  const isOfWords = error instanceof UnknownFlag || (error instanceof CommanderError && error.exitCode !== 0);
  if (isOfWords) return err.trimEnd();
  if (error instanceof RlvrError) return error.message;
  throw error ?? new Error('the mistake was accepted');
}
