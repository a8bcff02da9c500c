/** The commands of rlvr-train. A mistake is answered by one line that says what to give instead. */
import { Command as Commander } from 'commander';
import { packageVersion } from '../run/fingerprint/fingerprint.node.ts';
import { print, printError } from './display/output.ts';
import { withCommands } from './flags/parser.ts';
import { oneLine } from './mistaken_words.ts';
import { commandParts } from './parts.ts';

/** What the command line understands. Parsing throws CommanderError, and actions RlvrError, instead of exiting. */
export function program(): Commander {
  const root = new Commander('rlvr-train')
    .description('Train a small language model with reinforcement learning from verifiable rewards, on this machine.')
    .version(packageVersion())
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      writeErr: (text) => printError(text.trimEnd()),
      outputError: (message, write) => write(oneLine(message)),
    })
    .exitOverride();
  const { commands, help } = commandParts();
  if (help !== undefined) root.helpInformation = help;
  return withCommands(root, commands);
}
