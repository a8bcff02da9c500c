/** docs/reference/catalogue.md: the catalogue as a page. */
import type { OptionText } from '../options/describe.ts';
import { type Catalogue, type CatalogueMethod, type CatalogueTask, TAKES } from './catalogue.ts';
import { levelText, optionTable, sourceText, tableCell } from './catalogue_words.ts';
import { CORE_METHODS, MEASURES, METHOD_FAMILIES } from './method_families.ts';

/** The page as Markdown, ending in a newline. */
export function cataloguePage({ tasks, rewards, points, methods }: Catalogue): string {
  const parts = [
    '# Tasks, rewards and methods',
    'Made of the declarations by `npm run docs`; `rlvr-train show NAME` shows one of them. Made in the same way: [every key of a config](keys.md), [every metric](metrics.md), [every command and flag](commands.md), and [published systems](../systems.md).',
    '## Tasks',
    '`task: NAME`, or `task: {name: NAME, …}` with a level or knobs; several in `tasks: […]`.',
    ...tasks.flatMap(taskParts),
    '## Rewards',
    '`reward_funcs: [NAME, {name: NAME, weight: 0.5, …}]`',
    ...rewards.flatMap(({ name, does, options, yaml }) => [`### ${name}`, does, yamlFact(yaml), ...tableOf(options)]),
    '## Methods',
    'What a `grpo` stage is made of, by the point of a step at which it acts, and at the end what an `sft` stage may show. A point takes one method or a list, each a name, `{name: NAME, …}` with options, or a file of yours. Each method has a page, and `rlvr-train methods show ID` prints it.',
    'A number that may be a schedule takes `{from: 0.1, to: 0, over: 0.5, shape: linear}`: `over` is a share of the stage, above 1 a number of steps (default: the whole stage), and `shape` is `linear`, `cosine` or `geometric`.',
    '### By what they are for',
    'Ten to begin with, then twelve families; a row has methods of one kind, mostly options of one another.',
    familyTable(),
    ...points.flatMap(({ name, takes, does }) => {
      const here = methods.filter(({ point }) => point === name);
      const count = TAKES[takes];
      const none = here.length === 0 ? ' None ships; it takes files of yours.' : '';
      return [`### ${name}`, `${does} ${count}${none}`, ...(here.length === 0 ? [] : [methodTable(here)])];
    }),
  ];
  return `${parts.join('\n\n')}\n`;
}

function taskParts({ name, does, category, tier, example, rewards, levels, options, yaml }: CatalogueTask): string[] {
  const [prompt, answer] = example;
  const facts = [
    `- ${category}, tier ${tier}`,
    `- example: \`${prompt}\` → \`${answer}\``,
    `- rewards: ${rewards.map((reward) => `\`${reward}\``).join(', ')}`,
    ...levels.map((level, index) => `- level ${index}: \`${levelText(level)}\``),
    yamlFact(yaml),
  ];
  return [`### ${name}`, does, facts.join('\n'), ...tableOf(options)];
}

function familyTable(): string {
  const link = (names: string): string =>
    names
      .split(' ')
      .map((name) => `[${name}](methods/${name}.md)`)
      .join(', ');
  const rows = [...METHOD_FAMILIES, MEASURES].flatMap(({ title, when, kinds }) =>
    Object.entries(kinds).map(
      ([kind, names], index) => `| ${index === 0 ? `**${title}.** ${when}` : ''} | ${kind} | ${link(names)} |`,
    ),
  );
  const core = `| **To begin with.** | | ${CORE_METHODS.map(link).join(' · ')} |`;
  return ['| family | kind | methods |', '|---|---|---|', core, ...rows].join('\n');
}

/** A line each: the pages of docs/reference/methods have the rest. */
function methodTable(methods: readonly CatalogueMethod[]): string {
  const rows = methods.map((method) => {
    const { name, does, isDefault, options } = method;
    const names = options.map((option) => `\`${option.name}\``).join(', ');
    const said = isDefault ? `${does} The default.` : does;
    return `| [${name}](methods/${name}.md) | ${tableCell(said)} | ${names} | ${sourceText(method)} |`;
  });
  return ['| method | what it does | options | source |', '|---|---|---|---|', ...rows].join('\n');
}

function tableOf(options: readonly OptionText[]): string[] {
  return options.length === 0 ? [] : [optionTable(options)];
}

/** Each line asks for the same. */
function yamlFact(lines: readonly string[]): string {
  return `- YAML: ${lines.map((line) => `\`${line}\``).join(' or ')}`;
}
