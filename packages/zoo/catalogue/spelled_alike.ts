/** Names as people write them, who know a thing by its paper. */
import type { CatalogueMethod } from './catalogue.ts';

/** A name in small letters and digits alone, however it is joined; the pluses at its end stay: REINFORCE++ is not REINFORCE. */
export function plainName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('τ', 'tau')
    .replaceAll('λ', 'lambda')
    .replaceAll(/[^\p{L}\p{N}+]|\+(?=.*[\p{L}\p{N}])/gu, '');
}

/** Dr. GRPO, dr_grpo. */
export const isSpelledAlike = (a: string, b: string): boolean => plainName(a) === plainName(b);

/** What papers and TRL's `loss_type` call it. */
export function otherNamesOf({ names = [], yaml }: CatalogueMethod): string[] {
  const lossTypes = yaml.flatMap((line) => /^loss_type: (.+)$/.exec(line)?.[1] ?? []);
  return [...names, ...lossTypes];
}

/** The arXiv number that a text is, alone or as an address: `2504.16084`, `https://arxiv.org/abs/2504.16084v2`. */
export function arxivNumber(text: string): string | undefined {
  return /^(?:arxiv:|https?:\/\/arxiv\.org\/\w+\/)?(\d{4}\.\d{4,5})(?:v\d+)?$/i.exec(text.trim())?.[1];
}
