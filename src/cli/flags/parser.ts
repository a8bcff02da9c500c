/** The parser of the command line, made of the commands' tables. */
import { type Command as Commander, InvalidArgumentError, Option } from 'commander';
import { commandName } from '../../command_name.ts';
import { isConfig, isUnknownFlag, oneLine, repeatedFlag, UnknownFlag, unknownWord } from '../mistaken_words.ts';
import type { Command, Example } from './command.ts';
import { type Flag, helpOf, spelled, syntaxOf } from './flag.ts';

/** Adds the commands to the program. @returns the program */
export function withCommands(root: Commander, commands: readonly Command[]): Commander {
  for (const declared of commands) {
    const added = add(root, declared, commands);
    if (!declared.isDefault) continue;
    // `evla --samples 2` comes to the default command as a word and an unknown flag; the word is the mistake.
    added.configureOutput({
      outputError: (message, write) => {
        const [word] = added.args;
        if (word !== undefined && !word.startsWith('-') && !isConfig(word)) write(`${unknownWord(word, commands)}\n`);
        else if (isUnknownFlag(message)) throw new UnknownFlag(message);
        else write(oneLine(message));
      },
    });
  }
  return root;
}

function add(parent: Commander, declared: Command, all: readonly Command[]): Commander {
  const { name, does, usage, words = [], explainsWords, flags = {}, inner = [], isDefault, isAlias } = declared;
  const added = parent.command(name, { isDefault, hidden: isAlias }).description(does);
  if (usage !== undefined) added.usage(usage);
  for (const { syntax, text } of words) added.argument(syntax, text);
  if (explainsWords) added.argument('[words...]');
  let group: string | undefined;
  for (const [flagName, flag] of Object.entries(flags)) {
    if (flag.group !== undefined && flag.group !== group) added.optionsGroup(flag.group);
    group = flag.group;
    addFlag(added, flagName, flag);
  }
  // Below the last heading; without one it has commander's own place and words.
  if (group !== undefined) added.helpOption('-h, --help', 'show this help');
  const { run, examples = [] } = declared;
  for (const below of inner) {
    const own = examples.filter(({ words }) => words.startsWith(`${name} ${below.name}`));
    add(added, { examples: own, ...below }, all);
  }
  if (examples.length > 0) added.addHelpText('after', () => `\nExamples:\n${exampleLines(examples)}`);
  if (run === undefined) return added;
  return added.action(() => run(added.processedArgs.flat().filter(isGiven), added.opts(), all));
}

function addFlag(command: Commander, name: string, flag: Flag): void {
  const option = new Option(syntaxOf(name, flag), helpOf(flag));
  if (flag.choices !== undefined) option.choices(flag.choices);
  else if (flag.value !== undefined) option.argParser((given, earlier: unknown) => read(flag, given, earlier));
  if (flag.default !== undefined) option.default(flag.default);
  if (flag.isRequired) option.makeOptionMandatory();
  if (flag.isAlias) option.hideHelp();
  if (flag.excludes !== undefined) option.conflicts([...flag.excludes]);
  command.addOption(option);
  if (flag.value !== undefined && !flag.isRepeatable) refuseSecond(command, name);
}

/** @throws InvalidArgumentError, which commander turns into a message that names the flag */
function read(flag: Flag, given: string, earlier: unknown): unknown {
  try {
    return flag.read(given, earlier);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

/** Commander silently takes the last value of a flag that is given twice. */
function refuseSecond(command: Commander, name: string): void {
  let first: string | undefined;
  command.on(`option:${spelled(name).slice(2)}`, (value: string) => {
    if (first !== undefined) throw repeatedFlag(spelled(name), first, value);
    first = value;
  });
}

function isGiven(word: string | undefined): word is string {
  return word !== undefined;
}

function exampleLines(examples: readonly Example[]): string {
  const lines = examples.map(({ words, pipe }) =>
    `${pipe === undefined ? '' : `${pipe} | `}${commandName()} ${words}`.trimEnd(),
  );
  return lines.map((line, i) => `  ${line}\n      ${examples[i].does}`).join('\n');
}
