/**
 * The files beside a tokenizer.json, put into one with it as transformers 5 does: tokenizer_config.json, and where that has no
 * `added_tokens_decoder`, special_tokens_map.json and added_tokens.json of older versions.
 */
import { tokenText } from './beginning.ts';

type Json = Readonly<Record<string, unknown>>;

/** Files of a tokenizer, parsed; undefined where there is none. */
export interface SideFiles {
  /** tokenizer.json */
  readonly tokenizer: Json;
  /** tokenizer_config.json */
  readonly config?: Json;
  /** special_tokens_map.json */
  readonly specialTokens?: Json;
  /** added_tokens.json: ids by text */
  readonly addedTokens?: Json;
}

/** Keys of tokens that every tokenizer may have; others end alike, as `image_token`. */
const NAMED = /_token$/;
const FLAGS = ['single_word', 'lstrip', 'rstrip', 'normalized', 'special'] as const;

type Flags = Record<(typeof FLAGS)[number], boolean>;
type Added = Flags & { readonly id: number; readonly content: string };

/**
 * tokenizer.json with every added token, and the config with every special token.
 *
 * @param rows  of the embedding: a token that is only named and would have no row is left out, where transformers adds
 *   it and fails at its first use
 */
export function withSideFiles(
  { tokenizer, config = {}, specialTokens = {}, addedTokens = {} }: SideFiles,
  rows = Number.POSITIVE_INFINITY,
): { readonly tokenizer: Json; readonly config: Json } {
  const decoder = config.added_tokens_decoder as Json | undefined;
  const whole: Json = decoder === undefined ? { ...config, ...specialTokens } : config;
  const extra = tokensIn(whole.extra_special_tokens ?? whole.additional_special_tokens);
  const named = [
    ...Object.keys(whole)
      .filter((key) => NAMED.test(key))
      .map((key) => whole[key]),
    ...extra,
  ];
  const specials = named.filter((value) => tokenText(value) !== undefined);
  const specialTexts = new Set(specials.map(tokenText));

  const added = list(tokenizer.added_tokens).map((token) => ({ ...token, ...flagsOf(token) }) as Added);
  const atStart = new Map(added.map((token) => [token.content, token]));
  const older = Object.entries(addedTokens).map(([content, id]) => {
    const special = specialTexts.has(content);
    return [String(id), { content, normalized: !special, special }] as const;
  });
  const given =
    decoder === undefined ? older.filter(([, { content }]) => !atStart.has(content)) : Object.entries(decoder);
  const inOrder = [...given].sort(([a], [b]) => Number(a) - Number(b));

  const ids = idsOf(tokenizer);
  const add = (value: unknown, isSpecial: boolean): void => {
    const content = tokenText(value);
    if (content === undefined || content === '') return;
    const flags = typeof value === 'string' ? flagsOf({ special: true }) : flagsOf(value as Json);
    const at = added.findIndex((known) => known.content === content);
    // A token that is special once remains so.
    const token = { ...flags, content, special: flags.special || isSpecial || added[at]?.special === true };
    if (at >= 0) added[at] = { ...token, id: added[at].id };
    else added.push({ ...token, id: ids(content, added) });
  };
  for (const [, token] of inOrder) add(token, specialTexts.has(tokenText(token)));
  const written = new Map(inOrder.map(([, token]) => [tokenText(token), token]));
  for (const value of specials) {
    const text = tokenText(value);
    if (added.some(({ content }) => content === text) || ids(text ?? '', added) >= rows) continue;
    add(written.get(text) ?? value, true);
  }
  return { tokenizer: { ...tokenizer, added_tokens: added }, config: whole };
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** A list of tokens, or an object of them by name. */
function tokensIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values((value ?? {}) as Json);
}

function flagsOf(token: Json): Flags {
  const special = token.special === true;
  const normalized = token.normalized ?? !special;
  return Object.fromEntries(
    FLAGS.map((flag) => [flag, flag === 'normalized' ? normalized === true : token[flag] === true]),
  ) as Flags;
}

/** The id of a text that is added: that of the vocabulary, else the next one after all. */
function idsOf({ model }: Json): (text: string, added: readonly Added[]) => number {
  const { vocab } = (model ?? {}) as Json;
  const pieces = Array.isArray(vocab) ? (vocab as readonly (readonly [string, number])[]) : undefined;
  const byText = pieces
    ? new Map(pieces.map(([piece], id) => [piece, id]))
    : new Map(Object.entries((vocab ?? {}) as Record<string, number>));
  return (text, added) => {
    const largest = Math.max(byText.size - 1, ...added.map(({ id }) => id));
    return byText.get(text) ?? largest + 1;
  };
}
