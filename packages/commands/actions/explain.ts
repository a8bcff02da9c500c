/**
 * `rlvr-train explain NAME`: what a key of a config, an option, a metric, a method, a reward or a task is, and where it is
 * written; of a published system, what runs it here.
 */

import { distance } from 'fastest-levenshtein';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson, wrapColumns } from '../../../src/cli/display/output.ts';
import { commandName } from '../../../src/command_name.ts';
import { ConfigError } from '../../../src/errors.ts';
import { nearestKey } from '../../../src/options/nearest_name.ts';
import type { CatalogueMethod } from '../../zoo/catalogue/catalogue.ts';
import { valueText } from '../../zoo/catalogue/catalogue_words.ts';
import { type KeyFacts, keyFacts, knownKeys, OF_GRPO, type OptionPlace } from '../../zoo/catalogue/key_facts.ts';
import { METRIC_FACTS, type MetricFacts, metricFacts, metricOfWord } from '../../zoo/catalogue/metric_facts.ts';
import { screenWord, screenWords } from '../../zoo/catalogue/screen_words.ts';
import { arxivNumber, isSpelledAlike, otherNamesOf, plainName } from '../../zoo/catalogue/spelled_alike.ts';
import { type SystemFacts, systemFacts, systemNames } from '../../zoo/catalogue/systems/system_facts.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';
import { DIAGNOSIS_CODES } from '../../zoo/diagnostics/catalogue.ts';
import type { OptionText } from '../../zoo/options/describe.ts';
import { wrapWords } from '../display/live/text.ts';
import { systemText } from './explain_system.ts';

/** All that a name means. */
export interface NameFacts extends Partial<KeyFacts> {
  readonly name: string;
  readonly metric?: MetricFacts;
  /** What the screen and the pages mean by it. */
  readonly word?: string;
  /** What is called so: what it does; what it is, and where more is said. */
  readonly things: readonly { readonly does: string; readonly more: string }[];
  /** Published systems of that name. */
  readonly systems: readonly SystemFacts[];
}

/**
 * @param names  each a word, or all of them one name of a system: `golden goose`
 * @throws ConfigError for a name that means nothing, with the nearest one, after the others are explained
 */
export function explainCommand(names: readonly string[], { json = false }: { readonly json?: boolean }): void {
  const whole = names.join(' ');
  const isOne = systemFacts(whole).length > 0 || names.every((name) => nameFacts(name) === undefined);
  const asked = names.length > 1 && isOne ? [whole] : names;
  const facts = asked.flatMap((name) => nameFacts(name) ?? []);
  const columns = wrapColumns(process.stdout);
  if (json) printJson(JSON.stringify(facts));
  else if (facts.length > 0) print(facts.map((fact) => explanation(fact, columns)).join('\n\n'));
  const unknown = asked.find((name) => nameFacts(name) === undefined);
  if (unknown !== undefined) refuseName(unknown);
}

export function nameFacts(name: string): NameFacts | undefined {
  const [key, seen, things, systems] = [keyFacts(name), metricFacts(name), namedThings(name), systemFacts(name)];
  const word = screenWord(name);
  // A key is no metric for looking like one, as eval_steps looks like eval_<figure>.
  const metric = key === undefined || seen?.name === name ? (seen ?? metricOfWord(name)) : undefined;
  if ((key ?? metric ?? word) === undefined && things.length + systems.length === 0) return undefined;
  return { ...key, name, ...(word !== undefined && { word }), ...(metric && { metric }), things, systems };
}

/** Tasks, rewards, methods and diagnoses of that name or of that paper, and the method that logs under it. */
function namedThings(name: string): NameFacts['things'] {
  const { tasks, rewards, points, methods } = catalogue();
  const shown = (words: string): string => `${commandName()} ${words}`;
  const paper = arxivNumber(name);
  const isCalled = (thing: { readonly name: string }): boolean => isSpelledAlike(thing.name, name);
  const isAmong = (names: readonly string[]): boolean => names.some((other) => isSpelledAlike(other, name));
  const isOfPaper = ({ source }: CatalogueMethod): boolean => paper !== undefined && source.includes(paper);
  const [owner, ...rest] = name.replace(/#\d+/, '').split('/');
  return [
    ...those(tasks, isCalled, (task) => `A task: ${shown(`tasks show ${task}`)}`),
    ...those(rewards, isCalled, (reward) => `A reward: ${shown(`show ${reward}`)}`),
    ...those(points, isCalled, (point) => `A point of a step: ${shown(`methods ls ${point}`)}`),
    ...those(methods, isCalled, (method, { point }) => `A method (${point}): ${shown(`methods show ${method}`)}`),
    ...those(
      methods,
      (method) => !isCalled(method) && (isAmong(otherNamesOf(method)) || isOfPaper(method)),
      (method) => `The method ${method}: ${shown(`methods show ${method}`)}`,
    ),
    ...those(
      tasks,
      ({ names }) => isAmong(names),
      (task) => `The task ${task}: ${shown(`tasks show ${task}`)}`,
    ),
    ...those(
      rest.length === 0 ? [] : methods,
      (method) => isSpelledAlike(method.name, owner),
      (method) => `Logs it: ${shown(`methods show ${method}`)}`,
    ),
    ...(DIAGNOSIS_CODES.includes(name)
      ? [{ does: 'Said of a run that does not learn as it might.', more: `A diagnosis: docs/diagnostics.md#${name}` }]
      : []),
  ];
}

/** What a list says of those of its things that are meant. */
function those<T extends { readonly name: string; readonly does: string }>(
  list: readonly T[],
  isMeant: (thing: T) => boolean,
  more: (name: string, thing: T) => string,
): NameFacts['things'] {
  return list.filter(isMeant).map((thing) => ({ does: thing.does, more: more(thing.name, thing) }));
}

/** Every name that can be explained. */
function explainable(): string[] {
  const { tasks, rewards, points, methods } = catalogue();
  const things = [...tasks, ...rewards, ...points, ...methods, ...METRIC_FACTS].map(({ name }) => name);
  const words = screenWords();
  const others = [...tasks.flatMap(({ names }) => names), ...methods.flatMap(otherNamesOf)];
  return [...new Set([...words, ...knownKeys(), ...things, ...others, ...DIAGNOSIS_CODES, ...systemNames()])];
}

/** The nearest name, where at most a third of its letters differ; one that is farther off is another word. */
function nearName(name: string, known: readonly string[]): string {
  const near = nearestKey(name, known);
  if (near === undefined || distance(plainName(near), plainName(name)) > name.length / 3) return '';
  return `; did you mean "${near}"?`;
}

/** @throws ConfigError with the nearest name */
export function refuseName(name: string): never {
  const known = explainable();
  const part = name.toLowerCase();
  const having = known.filter((one) =>
    one
      .toLowerCase()
      .split(/[^\p{L}\p{N}]/u)
      .includes(part),
  );
  const near = having.length > 0 ? `; names with this word: ${firstOf(having)}.` : nearName(name, known);
  const others = ', metric, method, reward or task; docs/reference/keys.md and docs/reference/metrics.md list them';
  const papers = ', docs/systems.md published systems';
  const rule = `no such key${near === '' ? `${others}${papers}` : near}`;
  throw new ConfigError('unknown-name', `${name} — ${rule}${near === '' ? '.' : ''}`, { name });
}

export function explanation(facts: NameFacts, columns: number | undefined): string {
  const { name, places = [], options = [], refused = [], ours = [], word, metric, things, systems } = facts;
  const lines = [
    ...(word === undefined ? [] : [`  ${word}`]),
    ...places.flatMap(({ place, option }) => meaning(plain(place.where), option)),
    ...(metric === undefined ? [] : [`  ${metric.text}`, colors.dim(`  ${placeText(name, metric)}`)]),
    ...things.flatMap(({ does, more }) => [`  ${does}`, colors.dim(`  ${more}`)]),
    ...(ours.length === 0
      ? []
      : [`  Elsewhere a name of what is ${ours.join(' or ')} here: ${commandName()} explain ${ours[0]}`]),
    ...refused.map(({ because }) => `  Of another trainer or config.json, and not here: ${because}.`),
  ];
  const isKnown = lines.length > 0;
  lines.push(...optionLines(options, isKnown));
  const own = lines.length === 0 ? [] : [wrapWords([colors.bold(name), ...lines].join('\n'), columns)];
  return [...own, ...systems.map((system) => systemText(system, columns))].join('\n\n');
}

/** Options; where the name means something by itself, those that are no keys of a stage are only named. */
function optionLines(options: readonly OptionPlace[], isKnown: boolean): string[] {
  const told = byText(options.filter(({ isStageKey }) => isStageKey || !isKnown));
  const own = isKnown ? options.filter(({ isStageKey }) => !isStageKey) : [];
  const kinds = [...new Set(own.map(({ kind }) => kind))];
  const named = kinds.map((kind) => {
    const owners = own.filter((option) => option.kind === kind).map(({ owner }) => owner);
    return `${kind}${owners.length > 1 ? 's' : ''} ${firstOf(owners)}`;
  });
  const also =
    named.length === 0
      ? []
      : [colors.dim(`  Also an option of the ${named.join('; of the ')}: ${commandName()} show ${own[0].owner}`)];
  return [...told.flatMap(({ owners, option }) => meaning(owners, option)), ...also];
}

function firstOf(names: readonly string[]): string {
  const more = names.length - MOST_OWNERS;
  return [...names.slice(0, MOST_OWNERS), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function placeText(name: string, metric: MetricFacts): string {
  const pattern = metric.name === name ? '' : ` as ${metric.name}`;
  return `In metrics.jsonl, ${metric.place}${pattern}: docs/reference/metrics.md`;
}

function meaning(where: string, option: OptionText): string[] {
  const { example } = option;
  const sample = example === undefined ? '' : `; for example ${JSON.stringify(example)}`;
  return [`  ${option.text}`, colors.dim(`  ${valueText(option)}${sample}`), colors.dim(`  ${where}`)];
}

const MOST_OWNERS = 8;

/** Options of one text and one rule are shown once, with all that have them. */
function byText(options: readonly OptionPlace[]): { readonly owners: string; readonly option: OptionText }[] {
  const groups = new Map<string, OptionPlace[]>();
  for (const place of options) {
    const told = `${place.kind}|${place.option.text}|${valueText(place.option)}`;
    groups.set(told, [...(groups.get(told) ?? []), place]);
  }
  return [...groups.values()].map((places) => {
    const names = places.map(({ owner }) => owner);
    const [{ kind, isStageKey, option }] = places;
    const show = kind === 'method' ? `methods show ${names[0]}` : `show ${names[0]}`;
    const owners = `Of the ${kind}${names.length > 1 ? 's' : ''} ${firstOf(names)}`;
    const where = isStageKey ? `${plain(OF_GRPO)}. ` : '';
    return { owners: `${where}${owners}: ${commandName()} ${show}`, option };
  });
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}
