/** What documentation takes from the commands' tables: a page with every command, its words, flags and examples. */
import type { Command, Example } from '../../src/cli/flags/command.ts';
import { type Flag, syntaxOf } from '../../src/cli/flags/flag.ts';

/** As a project calls it that has it among its dependencies. */
const CALL = 'npx --no-install rlvr-train';
/** Comments begin here, where the command line is no longer. */
const COMMENT_COLUMN = 72;

/** A page of the reference, in Markdown. */
export function commandsPage(commands: readonly Command[]): string {
  const blocks = [
    '# Commands and flags',
    `What \`${CALL} --help\` and the help of each command list. [The command](../command.md) says what they print.`,
    ['| | |', '|---|---|', ...commands.map(({ name, does }) => row(name, does))].join('\n'),
    ...commands.flatMap((declared) => commandText(declared, '')),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function exampleLine({ pipe, words, does }: Example): string {
  const line = `${pipe === undefined ? '' : `${pipe} | `}${CALL} ${words}`.trimEnd();
  return `${line.padEnd(COMMENT_COLUMN)} # ${does}`;
}

/** @param above  the name of the command that it is below, and a space */
function commandText(declared: Command, above: string): string[] {
  const { name, does, words = [], flags = {}, inner = [], examples = [] } = declared;
  const path = `${above}${name}`;
  const usage = declared.usage ?? ['[options]', ...words.map(({ syntax }) => syntax)].join(' ');
  const rows = [
    ...words.flatMap(({ syntax, text }) => (text === undefined ? [] : [row(syntax, text)])),
    ...Object.entries(flags).flatMap(([flagName, flag]) =>
      flag.isAlias ? [] : [row(syntaxOf(flagName, flag), flagText(flag))],
    ),
  ];
  return [
    `## ${path}`,
    `\`rlvr-train ${path} ${usage}\``,
    sentence(does),
    ...(examples.length === 0 ? [] : [['```sh', ...examples.map(exampleLine), '```'].join('\n')]),
    ...(rows.length === 0 ? [] : [['| | |', '|---|---|', ...rows].join('\n')]),
    ...inner.flatMap((below) => commandText(below, `${path} `)),
  ];
}

function row(syntax: string, text: string): string {
  return `| \`${syntax}\` | ${text.replaceAll('<', '\\<')} |`;
}

/** Its text, with the rule that help leaves to the parser. */
function flagText({ text, rule, choices, default: fallback, otherwise }: Flag): string {
  const values = choices?.map((choice) => `\`${choice}\``).join(' or ') ?? rule;
  const absent = otherwise ?? fallback;
  const facts = [values, absent === undefined ? undefined : `default: ${absent}`];
  const known = facts.filter((fact) => fact !== undefined);
  return known.length === 0 ? text : `${text} (${known.join('; ')})`;
}

function sentence(text: string): string {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
