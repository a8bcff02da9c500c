/** `rlvr-train list [NAME]`: the tasks with their knobs, the rewards and methods with their options. */
import { type Catalogue, catalogue } from '../config/catalogue.ts';
import { ConfigError } from '../errors.ts';
import { type OptionText, takesText } from '../options/describe.ts';
import { didYouMean } from '../options/nearest_name.ts';
import { colors } from './colors.ts';

interface Entry {
  readonly name: string;
  readonly does: string;
  /** Further lines, in the order they are shown. */
  readonly facts: readonly (readonly [what: string, text: string])[];
  readonly options: readonly OptionText[];
}

interface Group {
  readonly name: keyof Catalogue;
  readonly about: string;
  readonly entries: readonly Entry[];
}

/** @param name  a group, or one of its entries; all where it is not given. @throws ConfigError for another name */
export function listCommand(
  name: string | undefined,
  { json = false, markdown = false }: { readonly json?: boolean; readonly markdown?: boolean },
): void {
  const groups = chosen(groupsOf(catalogue()), name);
  const isFull = name !== undefined;
  const text = groups.flatMap((group) => linesOf(group, isFull)).join('\n');
  print(json ? JSON.stringify(catalogue()) : markdown ? referencePage() : text);
}

function print(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`);
}

function groupsOf({ tasks, rewards, methods }: Catalogue): Group[] {
  return [
    {
      name: 'tasks',
      about: 'task: NAME, or task: {name: NAME, …} with a level or knobs',
      entries: tasks.map(({ name, does, options, example, rewards: fitting, levels }) => {
        const presets = levels.map((level, index) => `${index} ${flow(level)}`).join('; ');
        const facts = [
          ['example', example.join('  →  ')],
          ['rewards', fitting.join(', ')],
          ['levels', presets],
        ] as const;
        return { name, does, facts, options };
      }),
    },
    {
      name: 'rewards',
      about: 'reward_funcs: [NAME, {name: NAME, weight: 0.5, …}]',
      entries: rewards.map((reward) => ({ ...reward, facts: [] })),
    },
    {
      name: 'methods',
      about: 'what a grpo stage is made of',
      entries: methods.map(({ name, does, options, point, formula, source }) => {
        const facts = [
          ['point', point],
          ['formula', formula],
          ['source', source],
        ] as const;
        return { name, does, facts, options };
      }),
    },
  ];
}

/** `{numbers: 2}`, `the defaults`. */
function flow(level: object): string {
  const knobs = Object.entries(level).map(([knob, value]) => `${knob}: ${String(value)}`);
  return knobs.length === 0 ? 'the defaults' : `{${knobs.join(', ')}}`;
}

function chosen(groups: readonly Group[], name: string | undefined): readonly Group[] {
  if (name === undefined) return groups;
  const group = groups.find((candidate) => candidate.name === name);
  if (group !== undefined) return [group];
  const found = groups
    .map(({ entries, ...rest }) => ({ ...rest, entries: entries.filter((entry) => entry.name === name) }))
    .filter(({ entries }) => entries.length > 0);
  if (found.length > 0) return found;
  const known = groups.flatMap((each) => [each.name, ...each.entries.map((entry) => entry.name)]);
  throw new ConfigError('unknown-name', `${name} — no such task, reward or method${didYouMean(name, known)}`, { name });
}

function linesOf({ name, about, entries }: Group, isFull: boolean): string[] {
  const title = `${colors.bold(name)}  ${colors.dim(about)}`;
  const lines = entries.flatMap((entry) => [`  ${entry.name}  ${entry.does}`, ...(isFull ? detailsOf(entry) : [])]);
  return [title, ...lines, ''];
}

function detailsOf({ facts, options }: Entry): string[] {
  return [
    ...facts.map(([what, text]) => colors.dim(`    ${what}: ${text}`)),
    ...options.map((option) => `    ${option.name}  ${option.text} ${colors.dim(`(${valueText(option)})`)}`),
  ];
}

/** `2 to 9, default 4`. */
function valueText(option: OptionText): string {
  const { default: value, isNeeded } = option;
  if (value !== undefined) return `${takesText(option)}; default ${JSON.stringify(value).replaceAll('"', '')}`;
  return `${takesText(option)}; ${isNeeded ? 'must be given' : 'may be left out'}`;
}

/** docs/reference.md. */
export function referencePage(): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const sections = groupsOf(catalogue()).flatMap(({ name, about, entries }) => [
    `## ${name[0]?.toUpperCase()}${name.slice(1)}`,
    '',
    `\`${about}\``,
    '',
    ...entries.flatMap((entry) => [
      `### ${entry.name}`,
      '',
      entry.does,
      '',
      ...entry.facts.map(([what, text]) => `- ${what}: \`${text}\``),
      ...(entry.facts.length > 0 ? [''] : []),
      ...(entry.options.length === 0
        ? []
        : [
            '| option | takes | what it does |',
            '|---|---|---|',
            ...entry.options.map(
              (option) => `| \`${option.name}\` | ${cell(valueText(option))} | ${cell(option.text)} |`,
            ),
            '',
          ]),
    ]),
  ]);
  const head = [
    '# Reference',
    '',
    'Made from the definitions by `rlvr-train list --markdown > docs/reference.md`; `test/cli/list.test.ts` holds it up to date.',
    '',
  ];
  return `${[...head, ...sections].join('\n').trimEnd()}\n`;
}
