/** `rlvr-train explain KEY`: what a key of a config means, what it takes, and where it is written. */
import { commandName } from '../command_name.ts';
import { type KeyFacts, keyFacts, knownKeys, type OptionPlace } from '../config/key_facts.ts';
import { ConfigError } from '../errors.ts';
import type { OptionText } from '../options/describe.ts';
import { didYouMean } from '../options/nearest_name.ts';
import { valueText } from './catalogue_words.ts';
import { colors } from './colors.ts';
import { wrapWords } from './live/text.ts';
import { print, printJson, wrapColumns } from './output.ts';

/** @throws ConfigError for a name that is no key of anything, with the nearest one */
export function explainCommand(names: readonly string[], { json = false }: { readonly json?: boolean }): void {
  const facts = names.map((name) => keyFacts(name) ?? refuse(name));
  if (json) printJson(JSON.stringify(facts));
  else print(wrapWords(facts.map(explanation).join('\n\n'), wrapColumns(process.stdout)));
}

function refuse(name: string): never {
  const near = didYouMean(name, knownKeys());
  const rule = `no such key${near === '' ? '; docs/keys.md lists them all, list and methods show their options.' : near}`;
  throw new ConfigError('unknown-name', `${name} — ${rule}`, { name });
}

function explanation({ name, places, options, refused }: KeyFacts): string {
  const lines = [
    ...places.flatMap(({ place, option }) => meaning(plain(place.where), option)),
    ...byText(options).flatMap(({ owners, option }) => meaning(owners, option)),
    ...refused.map(({ because }) => `  Of TRL or config.json, and not here: ${because}.`),
  ];
  return [colors.bold(name), ...lines].join('\n');
}

function meaning(where: string, option: OptionText): string[] {
  const { example } = option;
  const sample = example === undefined ? '' : `; for example ${JSON.stringify(example)}`;
  return [`  ${option.text}`, colors.dim(`  ${valueText(option)}${sample}`), colors.dim(`  ${where}`)];
}

const MOST_OWNERS = 8;

/** Options of one text and one rule are told once, with all that have them. */
function byText(options: readonly OptionPlace[]): { readonly owners: string; readonly option: OptionText }[] {
  const groups = new Map<string, OptionPlace[]>();
  for (const place of options) {
    const told = `${place.kind}|${place.option.text}|${valueText(place.option)}`;
    groups.set(told, [...(groups.get(told) ?? []), place]);
  }
  return [...groups.values()].map((places) => {
    const names = places.map(({ owner }) => owner);
    const shown =
      names.length > MOST_OWNERS ? [...names.slice(0, MOST_OWNERS), `${names.length - MOST_OWNERS} more`] : names;
    const [{ kind, isStageKey, option }] = places;
    const show = kind === 'method' ? `methods show ${names[0]}` : `list ${names[0]}`;
    const owners = `Of the ${kind}${names.length > 1 ? 's' : ''} ${shown.join(', ')}`;
    const also = isStageKey ? ', and a key of a stage with stage: grpo' : '';
    return { owners: `${owners}${also}: ${commandName()} ${show}`, option };
  });
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}
