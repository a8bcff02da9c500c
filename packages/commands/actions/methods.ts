/** `rlvr-train methods`: what a step can be made of, a line each, all that is known of one, and the check of one of the user's. */

import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson, wrapColumns } from '../../../src/cli/display/output.ts';
import { commandName } from '../../../src/command_name.ts';
import { ConfigError } from '../../../src/errors.ts';
import { didYouMean } from '../../../src/options/nearest_name.ts';
import { type Catalogue, type CatalogueMethod, TAKES } from '../../zoo/catalogue/catalogue.ts';
import { type Evidence, evidenceOf, evidenceText } from '../../zoo/catalogue/method_evidence.ts';
import { methodFacts } from '../../zoo/catalogue/method_facts.ts';
import { CORE_METHODS, MEASURES, METHOD_FAMILIES } from '../../zoo/catalogue/method_families.ts';
import { isSpelledAlike, otherNamesOf } from '../../zoo/catalogue/spelled_alike.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';
import { DIAGNOSIS_CODES } from '../../zoo/diagnostics/catalogue.ts';
import { wrapWords } from '../display/live/text.ts';
import { aboutMethod } from './list.ts';

export interface MethodsOptions {
  readonly json?: boolean;
  /** Code of a diagnosis. */
  readonly for?: string;
  /** Each in a line; by default, where nothing is asked for, ten are, and the names of all others by family. */
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
  else print(wrapWords(isWhole ? methodLines(points, found) : layers(found), wrapColumns(process.stdout)));
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

const LEGEND = 'points: right samples in a hundred, beside plain GRPO from the same start; bench/arena has all rows';

/** A line for each, by the point of a step at which it acts. */
function methodLines(points: Catalogue['points'], methods: readonly CatalogueMethod[]): string {
  const width = Math.max(...methods.map(({ name }) => name.length));
  const groups = points.flatMap(({ name, takes, does }) => {
    const here = methods.filter(({ point }) => point === name);
    if (here.length === 0) return [];
    const title = `${colors.bold(name)}  ${colors.dim(`${does} ${TAKES[takes]}`)}`;
    return [[title, ...here.flatMap((method) => linesOf(method, width))].join('\n')];
  });
  return [...groups, colors.dim(`${LEGEND}\nall of one: ${commandName()} methods show ID`)].join('\n\n');
}

/** Three layers: those to begin with in a line each, the names of all others by what they are for, and where papers are. */
function layers(methods: readonly CatalogueMethod[]): string {
  const named = new Map(methods.map((method) => [method.name, method]));
  const core = CORE_METHODS.flatMap((names) => names.split(' ').flatMap((name) => named.get(name) ?? []));
  const width = Math.max(...core.map(({ name }) => name.length));
  const families = [...METHOD_FAMILIES, MEASURES].map(({ title, when, kinds }) => {
    const lines = Object.entries(kinds).map(([kind, names]) => {
      const marked = names.split(' ').map((name) => {
        const { sameAs } = named.get(name) ?? {};
        return sameAs === undefined || sameAs.given !== undefined ? name : `${name} (a form of ${sameAs.id})`;
      });
      return `  ${colors.dim(`${kind}:`)} ${marked.join(', ')}`;
    });
    return [`${colors.bold(title)}  ${colors.dim(when)}`, ...lines].join('\n');
  });
  const command = commandName();
  const more = `a line for each: ${command} methods ls --all, or ls POINT; all of one: ${command} methods show ID`;
  const papers = `what a paper proposes, and the config that runs it: ${command} explain NAME; docs/systems.md has all papers`;
  return [
    [colors.bold('Ten to begin with'), ...core.flatMap((method) => linesOf(method, width))].join('\n'),
    ...families,
    colors.dim([LEGEND, more, papers].join('\n')),
  ].join('\n\n');
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

function noMethod(name: string, known: readonly string[]): ConfigError {
  const near = didYouMean(name, known);
  const rule = `no such method${near === '' ? `; ${commandName()} methods ls names them all.` : near}`;
  return new ConfigError('unknown-name', `${name} — ${rule}`, { name });
}
