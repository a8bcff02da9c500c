/** `rlvr-train import FILE`: another trainer's config in our keys, and what became of each of its own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printError, printJson } from '../../../src/cli/display/output.ts';
import { commandParts } from '../../../src/cli/parts.ts';
import { commandName } from '../../../src/command_name.ts';
import { ConfigError } from '../../../src/errors.ts';
import { counted, printable, shellQuoted } from '../../../src/format.ts';
import { readForeign } from '../import/read_foreign.ts';
import { type Became, type Imported, type ImportedKey, translate } from '../import/translate.ts';

interface ImportFlags {
  readonly output?: string;
  readonly from?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** @throws ConfigError where nothing can be read, or the output is there already */
export async function importCommand(
  file: string | undefined,
  { output, from, force = false, json = false }: ImportFlags,
): Promise<void> {
  if (file === undefined) throw new ConfigError('missing-word', 'import — give a file, as import recipes/grpo.yaml.');
  const imported = await translate(readForeign(readText(file), file, from), basename(file), commandParts().library);
  if (output !== undefined) writeConfig(output, imported.text, force);
  if (json) printJson(JSON.stringify(imported));
  else if (output === undefined) print(imported.text.trimEnd());
  if (json) return;
  // What was written to standard output has the rest in its comments.
  const tell = output === undefined ? printError : print;
  for (const line of output === undefined ? [summary(file, imported)] : report(file, imported)) tell(line);
  if (output !== undefined)
    print(`${printable(output)} written; look at it: ${commandName()} ${shellQuoted(output)} --dry-run`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigError('config-file', `${file}  cannot be read (${code}); check the path.`, { file, code });
  }
}

function writeConfig(file: string, text: string, force: boolean): void {
  try {
    writeFileSync(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const rule =
      code === 'EEXIST'
        ? 'is there already; give another name, or --force to replace it'
        : `cannot be written (${code}); check the path and its permissions`;
    throw new ConfigError('config-file', `${file}  ${rule}.`, { file, code });
  }
}

const WORDS: Readonly<Record<Became, string>> = {
  kept: 'kept',
  renamed: 'renamed',
  computed: 'computed otherwise',
  'no meaning': 'no meaning here',
  refused: 'refused',
};

function summary(file: string, { trainer, keys }: Imported): string {
  const counts = Object.entries(WORDS).flatMap(([became, words]) => {
    const count = keys.filter((key) => key.became === became).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return `${printable(file)}: a config of ${trainer}, ${counted(keys.length, 'key')}: ${counts.join(', ')}`;
}

/** A line for each key, in the order of the file. */
export function report(file: string, imported: Imported): string[] {
  const { keys, toDo } = imported;
  const place = Math.max(...keys.map(({ line }) => String(line).length));
  return [
    colors.bold(summary(file, imported)),
    ...[...keys].sort((a, b) => a.line - b.line).map((key) => `${String(key.line).padStart(place)}  ${keyLine(key)}`),
    ...toDo.map((line) => `${colors.yellow('to do')}  ${printable(line)}`),
  ];
}

const LONGEST_VALUE = 40;

function keyLine({ path, value, became, ours, why }: ImportedKey): string {
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  const short = written.length > LONGEST_VALUE ? `${written.slice(0, LONGEST_VALUE - 1)}…` : written;
  const now = Object.entries(ours).map(([name, own]) => `${name}: ${JSON.stringify(own)}`);
  const said = became === 'renamed' ? [] : [why];
  const rest = [...(became === 'kept' ? [] : now), ...said].filter((text) => text !== '').join('; ');
  const word =
    became === 'refused'
      ? colors.red(WORDS.refused)
      : became === 'no meaning'
        ? colors.dim(WORDS[became])
        : WORDS[became];
  return `${printable(`${path}: ${short}`)}  ${word}${rest === '' ? '' : `: ${printable(rest)}`}`;
}
