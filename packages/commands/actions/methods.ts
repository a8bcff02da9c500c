/** `rlvr-train methods`: what a step can be made of, a line each, all that is known of one, and the check of one of the user's. */

import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson, wrapColumns } from '../../../src/cli/display/output.ts';
import { commandName } from '../../../src/command_name.ts';
import { ConfigError } from '../../../src/errors.ts';
import { didYouMean } from '../../../src/options/nearest_name.ts';
import { type Catalogue, type CatalogueMethod, TAKES } from '../../zoo/catalogue/catalogue.ts';
import { type Evidence, evidenceOf, evidenceText } from '../../zoo/catalogue/method_evidence.ts';
import { methodFacts } from '../../zoo/catalogue/method_facts.ts';
import { isSpelledAlike, otherNamesOf } from '../../zoo/catalogue/spelled_alike.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';
import { DIAGNOSIS_CODES } from '../../zoo/diagnostics/catalogue.ts';
import { wrapWords } from '../display/live/text.ts';
import { aboutMethod } from './list.ts';

export interface MethodsOptions {
  readonly json?: boolean;
  /** Code of a diagnosis. */
  readonly for?: string;
  /** Each in a line; by default, where nothing is asked for, the core ones alone are, and the names of all others. */
  readonly all?: boolean;
}

/** @param words  points, or words that each shown method has all of. @throws ConfigError where none is left */
export function listMethods(words: readonly string[], { json = false, for: code, all = false }: MethodsOptions): void {
  if (code !== undefined) requireDiagnosis(code);
  const { points, methods } = catalogue();
  const asked = points.filter(({ name }) => words.includes(name)).map(({ name }) => name);
  const texts = words.filter((word) => !asked.includes(word)).map((word) => word.toLowerCase());
  const found = methods.filter(
    (method) =>
      (asked.length === 0 || asked.includes(method.point)) &&
      (code === undefined || method.against.includes(code)) &&
      texts.every((text) => textOf(method).includes(text)),
  );
  if (found.length === 0 && words.length === 0) {
    print(`no method is declared against ${code}`);
    return;
  }
  if (found.length === 0) throw noMethod(words.join(' '), [...points.map(({ name }) => name), ...everyName(methods)]);
  const isWhole = all || words.length > 0 || code !== undefined;
  if (json) printJson(JSON.stringify(found.map(withEvidence)));
  else print(wrapWords(methodLines(points, found, isWhole), wrapColumns(process.stdout)));
}

function requireDiagnosis(code: string): void {
  if (DIAGNOSIS_CODES.includes(code)) return;
  const near = didYouMean(code, DIAGNOSIS_CODES);
  const rule = `no such diagnosis${near === '' ? '; docs/diagnostics.md has them all.' : near}`;
  throw new ConfigError('unknown-name', `--for ${code} — ${rule}`, { name: code });
}

/** @throws ConfigError for an id that there is not, with the nearest */
export function showMethods(ids: readonly string[], { json = false }: MethodsOptions): void {
  const { methods } = catalogue();
  const found = ids.flatMap((id) => {
    const named = methods.filter(({ name }) => name === id);
    if (named.length > 0) return named;
    const called = methods.filter((method) => otherNamesOf(method).some((name) => isSpelledAlike(name, id)));
    if (called.length === 0) throw noMethod(id, everyName(methods));
    return called;
  });
  const facts = methodFacts();
  if (json) printJson(JSON.stringify(found.map((method) => ({ ...withEvidence(method), ...facts(method.name) }))));
  else {
    const texts = found.map((method) => aboutMethod(method, facts(method.name)));
    print(wrapWords(texts.join('\n\n'), wrapColumns(process.stdout)));
  }
}

/** Ids first, then what they are called elsewhere: the first of the nearest is named. */
function everyName(methods: readonly CatalogueMethod[]): string[] {
  return [...methods.map(({ name }) => name), ...methods.flatMap(otherNamesOf)];
}

function textOf(method: CatalogueMethod): string {
  const { name, does, formula, source, certainty, options } = method;
  const texts = [
    name,
    does,
    formula,
    source,
    certainty,
    ...otherNamesOf(method),
    ...options.map((option) => option.name),
  ];
  return texts.join('\n').toLowerCase();
}

function withEvidence(method: CatalogueMethod): CatalogueMethod & { readonly evidence: Evidence } {
  return { ...method, evidence: evidenceOf(method) };
}

/** @param isWhole  all in a line each; otherwise those of the core, and the names of the others */
function methodLines(points: Catalogue['points'], methods: readonly CatalogueMethod[], isWhole: boolean): string {
  const inLines = methods.filter(({ isCore }) => isWhole || isCore);
  const width = Math.max(...inLines.map(({ name }) => name.length));
  const groups = points.flatMap(({ name, takes, does }) => {
    const here = methods.filter(({ point }) => point === name);
    if (here.length === 0) return [];
    const lines = here.filter((method) => inLines.includes(method)).flatMap((method) => linesOf(method, width));
    const others = here.filter((method) => !inLines.includes(method));
    return [
      [`${colors.bold(name)}  ${colors.dim(`${does} ${TAKES[takes]}`)}`, ...lines, ...namesOf(others)].join('\n'),
    ];
  });
  const command = `${commandName()} methods`;
  const more = isWhole ? '' : `a line for each: ${command} ls --all, or ls POINT; `;
  const legend = 'points: right samples in a hundred, beside plain GRPO from the same start; bench/arena has all rows';
  return [...groups, colors.dim(`${legend}\n${more}all of one: ${command} show ID`)].join('\n\n');
}

/** What it does, and what that is worth. */
function linesOf(method: CatalogueMethod, width: number): string[] {
  const { name, does, isDefault, when } = method;
  const worth = [evidenceText(evidenceOf(method)), ...(when === undefined ? [] : [when])].join('. ');
  return [
    `  ${colors.bold(name.padEnd(width))}  ${does}${isDefault ? colors.dim(' The default.') : ''}`,
    colors.dim(`${' '.repeat(width + 4)}${worth}`),
  ];
}

const FAMILIES: readonly (readonly [kind: Evidence['kind'], title: string])[] = [
  ['measured', 'measured'],
  ['published', 'published'],
  ['none', 'ours'],
];

/** The names of methods, those that were measured first. */
function namesOf(methods: readonly CatalogueMethod[]): string[] {
  return FAMILIES.flatMap(([kind, title]) => {
    const names = methods.filter((method) => evidenceOf(method).kind === kind).map(({ name }) => name);
    return names.length === 0 ? [] : [`  ${colors.dim(`${names.length} more ${title}`)}  ${names.join(', ')}`];
  });
}

function noMethod(name: string, known: readonly string[]): ConfigError {
  const near = didYouMean(name, known);
  const rule = `no such method${near === '' ? `; ${commandName()} methods ls names them all.` : near}`;
  return new ConfigError('unknown-name', `${name} — ${rule}`, { name });
}
