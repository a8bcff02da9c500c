/** `rlvr-train list [NAME]`: the tasks with their knobs, the rewards and methods with their options. */

import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson, wrapColumns } from '../../../src/cli/display/output.ts';
import { commandName } from '../../../src/command_name.ts';
import { ConfigError } from '../../../src/errors.ts';
import { didYouMean } from '../../../src/options/nearest_name.ts';
import type { Catalogue, CatalogueMethod, CatalogueTask } from '../../zoo/catalogue/catalogue.ts';
import { cataloguePage } from '../../zoo/catalogue/catalogue_page.ts';
import {
  certaintyText,
  companionText,
  levelText,
  remarkText,
  repeatsText,
  sameText,
  sourceText,
  valueText,
} from '../../zoo/catalogue/catalogue_words.ts';
import { rowText } from '../../zoo/catalogue/measured_row.ts';
import { evidenceOf, evidenceText } from '../../zoo/catalogue/method_evidence.ts';
import type { MethodFacts } from '../../zoo/catalogue/method_facts.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';
import type { OptionText } from '../../zoo/options/describe.ts';
import { wrapWords } from '../display/live/text.ts';

/** How much is said: names and what they do; their options' names, too; everything. */
type Detail = 'names' | 'brief' | 'full';

/** @param name  a group, a point, or one of the entries; all where it is not given. @throws ConfigError for another name */
export function listCommand(
  name: string | undefined,
  { json = false, markdown = false }: { readonly json?: boolean; readonly markdown?: boolean },
): void {
  const all = catalogue();
  const { detail, found } = chosen(all, name);
  if (json) printJson(JSON.stringify(found));
  else if (markdown) print(cataloguePage(all).trimEnd());
  else print(wrapWords(listText(found, detail), wrapColumns(process.stdout)));
}

function chosen(all: Catalogue, name: string | undefined): { readonly detail: Detail; readonly found: Catalogue } {
  if (name === undefined) return { detail: 'names', found: all };
  const none: Catalogue = { tasks: [], rewards: [], points: [], methods: [] };
  const { tasks, rewards, points, methods } = all;
  if (name === 'tasks') return { detail: 'brief', found: { ...none, tasks } };
  if (name === 'rewards') return { detail: 'brief', found: { ...none, rewards } };
  if (name === 'methods') return { detail: 'brief', found: { ...none, points, methods } };
  const isNamed = (entry: { readonly name: string }): boolean => entry.name === name;
  if (points.some(isNamed)) {
    const ofPoint = methods.filter(({ point }) => point === name);
    return { detail: 'brief', found: { ...none, points: points.filter(isNamed), methods: ofPoint } };
  }
  const named = methods.filter(isNamed);
  const found: Catalogue = {
    tasks: tasks.filter(isNamed),
    rewards: rewards.filter(isNamed),
    points: points.filter((point) => named.some((method) => method.point === point.name)),
    methods: named,
  };
  if (found.tasks.length + found.rewards.length + named.length > 0) return { detail: 'full', found };
  const known = ['tasks', 'rewards', 'methods', ...[tasks, rewards, points, methods].flat().map((entry) => entry.name)];
  const near = didYouMean(name, known);
  const rule = `no such task, reward or method${near === '' ? `; ${commandName()} list names them all.` : near}`;
  throw new ConfigError('unknown-name', `${name} — ${rule}`, { name });
}

/** What a catalogue holds, as lines for a terminal. */
export function listText({ tasks, rewards, points, methods }: Catalogue, detail: Detail): string {
  if (detail === 'full')
    return [...tasks.map(aboutTask), ...rewards.map(aboutReward), ...methods.map((method) => aboutMethod(method))].join(
      '\n\n',
    );
  const groups = [
    [
      'tasks',
      'task: NAME, or task: {name: NAME, …} with a level or knobs',
      tasks.flatMap((task) => taskLines(task, detail)),
    ],
    [
      'rewards',
      'reward_funcs: [NAME, {name: NAME, weight: 0.5, …}]',
      rewards.flatMap((reward) => entryLines(reward, detail, '  ', [])),
    ],
    [
      'methods',
      'what a grpo stage is made of, by the key of each point',
      points.flatMap(({ name, does }) => {
        const here = methods.filter(({ point }) => point === name);
        const none = here.length === 0 ? [`    ${colors.dim('none but files of yours')}`] : [];
        return [`  ${name}  ${colors.dim(does)}`, ...here.flatMap((method) => methodLines(method, detail)), ...none];
      }),
    ],
  ] as const;
  const shown = groups.filter(([, , lines]) => lines.length > 0);
  return [
    ...shown.map(([name, about, lines]) => [`${colors.bold(name)}  ${colors.dim(about)}`, ...lines].join('\n')),
    colors.dim(`one of them, with its options and the YAML to write: ${commandName()} show NAME`),
  ].join('\n\n');
}

function taskLines(task: CatalogueTask, detail: Detail): string[] {
  const { category, tier, levels } = task;
  const range = levels.length === 0 ? [] : [`levels 0 to ${levels.length - 1}`];
  return entryLines(task, detail, '  ', [category, `tier ${tier}`, ...range]);
}

function methodLines(method: CatalogueMethod, detail: Detail): string[] {
  return entryLines(method, detail, '    ', method.isDefault ? ['the default'] : []);
}

function entryLines(
  entry: { readonly name: string; readonly does: string; readonly options: readonly OptionText[] },
  detail: Detail,
  indent: string,
  facts: readonly string[],
): string[] {
  const { name, does, options } = entry;
  const names = options.length === 0 ? [] : [`takes ${options.map((option) => option.name).join(', ')}`];
  const second = [...facts, ...names].join('; ');
  const line = `${indent}${colors.bold(name)}  ${does}`;
  return detail === 'names' || second === '' ? [line] : [line, colors.dim(`${indent}  ${second}`)];
}

export function aboutTask({
  name,
  does,
  category,
  tier,
  example,
  rewards,
  levels,
  options,
  yaml,
}: CatalogueTask): string {
  return about(name, does, [
    ['kind', `${category}, tier ${tier}`],
    ['example', example.join('  →  ')],
    ['rewards', rewards.join(', ')],
    ...levels.map((level, index) => [`level ${index}`, levelText(level)] as const),
    ['knobs', options.map(optionText)],
    ['YAML', yaml],
  ]);
}

export function aboutReward({ name, does, options, yaml }: Catalogue['rewards'][number]): string {
  return about(name, does, [
    ['options', options.map(optionText)],
    ['YAML', yaml],
  ]);
}

/** @param facts  what is found out by asking it; left out of the list, which asks nobody */
export function aboutMethod(method: CatalogueMethod, facts?: MethodFacts): string {
  const {
    name,
    does,
    names,
    point,
    isDefault,
    formula,
    options,
    optionsAreStageKeys,
    isRepeatable,
    sameAs,
    when,
    yaml,
  } = method;
  const evidence = evidenceOf(method);
  return about(name, does, [
    ['point', isDefault ? `${point}, whose default it is` : point],
    ...(names === undefined ? [] : [['names', names.join(', ')] as const]),
    ...(sameAs === undefined ? [] : [['same as', sameText(sameAs)] as const]),
    ['worth', [evidenceText(evidence), ...(when === undefined ? [] : [when])].join('. ')],
    ['formula', formula],
    ['source', facts === undefined ? sourceText(method) : `${sourceText(method)} (${certaintyText(method)})`],
    ...(method.against.length === 0 ? [] : [['against', method.against.join(', ')] as const]),
    ...method.companions.map((companion) => ['meant beside', companionText(companion).replaceAll('`', '')] as const),
    ...(facts?.needs ?? []).map((need) => ['needs', need] as const),
    ...(isRepeatable ? [['several', repeatsText(name)] as const] : []),
    ['measured', evidence.rows.slice(1).map(rowText)],
    [optionsAreStageKeys ? 'options, also as keys of the stage' : 'options', options.map(optionText)],
    ['beside others', (facts?.remarks ?? []).map((remark) => remarkText(remark, name))],
    ['YAML, one of', yaml],
  ]);
}

/** A name with facts of one line each, and lists below their titles. */
function about(
  name: string,
  does: string,
  facts: readonly (readonly [title: string, text: string | readonly string[]])[],
): string {
  const lines = facts.flatMap(([title, text]) => {
    if (typeof text === 'string') return [`  ${colors.dim(title.padEnd(7))}  ${text}`];
    return text.length === 0 ? [] : [`  ${colors.dim(title)}`, ...text.map((item) => `    ${item}`)];
  });
  return [`${colors.bold(name)}  ${does}`, ...lines].join('\n');
}

function optionText(option: OptionText): string {
  return `${colors.bold(option.name)}  ${option.text} ${colors.dim(`(${valueText(option)})`)}`;
}
