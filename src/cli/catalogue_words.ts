/** Facts of the catalogue in words, as the list and the reference page have them. */
import type { CatalogueMethod } from '../config/catalogue.ts';
import type { OptionText } from '../options/describe.ts';

/** `whole number from 2 to 9; default 4`. */
export function valueText({ rule, default: value, isNeeded }: OptionText): string {
  if (value !== undefined) return `${rule}; default ${value}`;
  return isNeeded ? `${rule}; must be given` : `${rule}; may be left out`;
}

/** `numbers: 2`, `the defaults`. */
export function levelText(level: object): string {
  const knobs = Object.entries(level).map(([knob, value]) => `${knob}: ${String(value)}`);
  return knobs.length === 0 ? 'the defaults' : knobs.join(', ');
}

/** `arXiv:2506.13585`, `after arXiv:2505.24864`, `our own`. */
export function sourceText({ source, certainty }: Pick<CatalogueMethod, 'source' | 'certainty'>): string {
  const name = source === 'own' ? 'our own' : `arXiv:${source}`;
  return certainty === 'after the paper' ? `after ${name}` : name;
}
