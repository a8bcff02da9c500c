/** Facts of the catalogue in words, as the list and the reference page have them. */
import type { Companion, SameAs } from '../../../src/methods/method.ts';
import type { Json } from '../../../src/options/json.ts';
import { type OptionText, valueWords } from '../options/describe.ts';
import type { CatalogueMethod } from './catalogue.ts';
import type { MethodRemark } from './method_facts.ts';

/** `whole number from 2 to 9; default 4`. */
export function valueText({ rule, default: value, isNeeded }: OptionText): string {
  if (value !== undefined) return `${rule}; default ${valueWords(value)}`;
  return isNeeded ? `${rule}; must be given` : `${rule}; may be left out`;
}

/** `group with baseline: loo, scale_rewards: none, to the bit`; `win-rate with tie_margin: 0, to the bit, where kind: rank`. */
export function sameText({ given, id, options }: SameAs): string {
  const how = Object.keys(options).length === 0 ? '' : ` with ${levelText(options)}`;
  return `${id}${how}, to the bit${given === undefined ? '' : `, where ${levelText(given)}`}`;
}

/** `numbers: 2`, `the defaults`. */
export function levelText(level: Readonly<Record<string, Json | undefined>>): string {
  const knobs = Object.entries(level).map(([knob, value]) => `${knob}: ${valueWords(value)}`);
  return knobs.length === 0 ? 'the defaults' : knobs.join(', ');
}

/** `arXiv:2506.13585`, `after arXiv:2505.24864`, `our own`. */
export function sourceText({ source, certainty }: Pick<CatalogueMethod, 'source' | 'certainty'>): string {
  const name = source === 'own' ? 'our own' : `arXiv:${source}`;
  return certainty === 'after the paper' ? `after ${name}` : name;
}

/** What the formula is worth, in a sentence. */
export function certaintyText({ certainty }: Pick<CatalogueMethod, 'certainty'>): string {
  switch (certainty) {
    case 'paper':
      return "the source's own formula";
    case 'after the paper':
      return 'written after the paper: its idea; details and defaults are not read out of it';
    case 'own':
      return 'a form of this project';
  }
}

/** `aggregation: seq-mean, so that each group weighs the same`. */
export function companionText({ line, why }: Companion): string {
  return `\`${line}\`, ${why}`;
}

const MOST_NAMED = 6;

/** `with vespo (refused): vespo takes weights by token …`, `with an odd num_generations (warning): …`. */
export function remarkText({ level, of, by, text }: MethodRemark, id: string): string {
  const named = of.length > MOST_NAMED ? [...of.slice(0, MOST_NAMED), `${of.length - MOST_NAMED} more`] : of;
  const where = of.length === 0 ? 'beside the defaults' : `with ${named.join(', ')}`;
  const how = { conflict: 'refused', warning: 'warning', note: 'note' }[level];
  return `${where} (${by === id ? how : `${how} of ${by}`}): ${text}`;
}

/** In Markdown. */
export function optionTable(options: readonly OptionText[]): string {
  const rows = options.map(
    (option) => `| \`${option.name}\` | ${tableCell(valueText(option))} | ${tableCell(option.text)} |`,
  );
  return ['| option | takes | what it does |', '|---|---|---|', ...rows].join('\n');
}

export function tableCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Sentence on a method that a stage may have several times. */
export function repeatsText(name: string): string {
  return `a stage may have it more than once; the second one logs as \`${name}#2/…\``;
}
