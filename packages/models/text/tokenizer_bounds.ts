/**
 * What a tokenizer.json may ask for. It is a text of somebody else's, and a small one can ask for work without end: patterns
 * that try out every way to read a text, replacements that grow it tenfold again and again, ids that want a list of billions.
 */

import { patternFlaw } from './pattern_work.ts';

type Json = Readonly<Record<string, unknown>>;

/** How much longer all its replacements together may make a text; those of today make it three times as long. */
const MOST_GROWTH = 100;

/** Parts that may have a pattern. */
const PARTS = ['normalizer', 'pre_tokenizer', 'decoder'] as const;
const LISTS = ['normalizers', 'pretokenizers', 'decoders', 'processors'];

/** @throws Error where a text could take forever, or all memory */
export function requireBounded(tokenizer: Json): void {
  for (const name of PARTS) {
    let growth = 1;
    for (const part of partsOf(tokenizer[name])) {
      const regex = regexOf(part.pattern);
      const flaw = regex === undefined ? undefined : patternFlaw(regex);
      if (flaw !== undefined) throw new Error(`${name}: the pattern ${regex} ${flaw}`);
      growth *= growthOf(part, regex);
    }
    if (growth > MOST_GROWTH) throw new Error(`${name}: its replacements make a text ${growth} times as long`);
  }
}

/** Largest id of the vocabulary and of the added tokens; -1 where there is none. */
export function largestId({ model, added_tokens: added }: Json): number {
  const { vocab } = (model ?? {}) as Json;
  const ids = Array.isArray(added) ? added.map((token: Json | null) => Number(token?.id)) : [];
  let largest = -1;
  for (const id of ids) if (id > largest) largest = id;
  if (typeof vocab !== 'object' || vocab === null) return largest;
  if (Array.isArray(vocab)) return Math.max(largest, vocab.length - 1);
  for (const id of Object.values(vocab)) if (typeof id === 'number' && id > largest) largest = id;
  return largest;
}

/** A part and those in its sequences. */
function partsOf(part: unknown): Json[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = part as Json;
  const inner = LISTS.flatMap((list) => (Array.isArray(own[list]) ? (own[list] as unknown[]).flatMap(partsOf) : []));
  return [own, ...inner];
}

function regexOf(pattern: unknown): string | undefined {
  const { Regex: regex } = (pattern ?? {}) as Json;
  return typeof regex === 'string' ? regex : undefined;
}

/** Characters for one, at most. */
function growthOf({ type, content, pattern }: Json, regex: string | undefined): number {
  if (type !== 'Replace' || typeof content !== 'string') return 1;
  if (regex !== undefined) return 1 + content.length; // it may match between characters
  const { String: text } = (pattern ?? {}) as Json;
  return typeof text === 'string' && text !== '' ? Math.max(1, content.length / text.length) : 1 + content.length;
}
