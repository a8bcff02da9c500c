/** Names as people write them, who know a thing by its paper. */
import type { CatalogueMethod } from './catalogue.ts';

/** However it is joined: Dr. GRPO, dr_grpo. */
export function isSpelledAlike(a: string, b: string): boolean {
  const [first, second] = [a, b].map((name) => name.toLowerCase().replace(/[^a-z0-9+]/g, ''));
  return first === second;
}

/** What papers and TRL's `loss_type` call it. */
export function otherNamesOf({ names = [], yaml }: CatalogueMethod): string[] {
  const lossTypes = yaml.flatMap((line) => /^loss_type: (.+)$/.exec(line)?.[1] ?? []);
  return [...names, ...lossTypes];
}

/** The arXiv number that a text is, alone or as an address: `2504.16084`, `https://arxiv.org/abs/2504.16084v2`. */
export function arxivNumber(text: string): string | undefined {
  return /^(?:arxiv:|https?:\/\/arxiv\.org\/\w+\/)?(\d{4}\.\d{4,5})(?:v\d+)?$/i.exec(text.trim())?.[1];
}
