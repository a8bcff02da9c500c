/** Pre-tokenizers of a tokenizer.json: the pieces of a text, each of which becomes tokens by itself. */
import type { Section as Piece } from './added_tokens.ts';
import { bytesAsLetters } from './byte_letters.ts';
import { type Json, listOf, partOf } from './parts.ts';
import { compilePattern, type Match, matchesOf, patternOf } from './patterns.ts';

export type PreTokenizer = (pieces: readonly Piece[]) => readonly Piece[];

/** @throws Error where it is of another kind */
export function preTokenizerOf(part: unknown): PreTokenizer {
  return (part ?? null) === null ? (pieces) => pieces : partOf('the pre-tokenizer', part as Json, PRE_TOKENIZERS);
}

type Behavior = 'Removed' | 'Isolated' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';

const BLANK = /\p{White_Space}/gu;
/** ASCII's symbols are punctuation too. */
const PUNCTUATION = /[\p{P}$+<=>^`|~]/gu;
/** How GPT-2 splits a text. */
const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const WORDS =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;

const PRE_TOKENIZERS: Readonly<Record<string, (part: Json) => PreTokenizer>> = {
  Sequence: ({ pretokenizers }) => {
    const each = listOf(pretokenizers).map(preTokenizerOf);
    return (pieces) => each.reduce((before, split) => split(before), pieces);
  },
  BertPreTokenizer: () => {
    const [words, signs] = [splitter(BLANK, 'Removed'), splitter(PUNCTUATION, 'Isolated')];
    return (pieces) => signs(words(pieces));
  },
  ByteLevel: ({ add_prefix_space: prefix, use_regex: splits }) => {
    const split = splits === false ? (pieces: readonly Piece[]) => pieces : splitter(compilePattern(GPT2), 'Isolated');
    const begin = prefix === false ? (text: string) => text : withPrefix(' ');
    return (pieces) => {
      const begun = pieces.map((piece) => ({ ...piece, text: begin(piece.text) }));
      return split(begun).map((piece) => ({ ...piece, text: bytesAsLetters(piece.text) }));
    };
  },
  CharDelimiterSplit: ({ delimiter }) => splitter(patternOf({ String: delimiter }), 'Removed'),
  Digits: ({ individual_digits: single }) => splitter(/\p{N}/gu, single === true ? 'Isolated' : 'Contiguous'),
  FixedLength: ({ length }) => splitter(new RegExp(`[^]{1,${Number(length)}}`, 'gu'), 'Isolated'),
  Metaspace: metaspace,
  Punctuation: ({ behavior }) => splitter(PUNCTUATION, behaviorOf(behavior ?? 'Isolated')),
  Split: ({ pattern, behavior, invert }) => splitter(patternOf(pattern as Json), behaviorOf(behavior), invert === true),
  Whitespace: () => splitter(WORDS, 'Removed', true),
  WhitespaceSplit: () => splitter(BLANK, 'Removed'),
};

function withPrefix(prefix: string): (text: string) => string {
  return (text) => (text.startsWith(prefix) ? text : prefix + text);
}

function metaspace(part: Json): PreTokenizer {
  const { replacement = '▁', prepend_scheme: scheme, add_prefix_space: legacy, split: splits } = part;
  const blank = String(replacement);
  const when = scheme ?? (legacy === false ? 'never' : 'always');
  const begin = withPrefix(blank);
  const split = splits === false ? undefined : splitter(patternOf({ String: blank }), 'MergedWithNext');
  return (pieces) => {
    const marked = pieces.map(({ text, isFirst }) => {
      const words = text.replaceAll(' ', blank);
      return { text: when === 'always' || (when === 'first' && isFirst) ? begin(words) : words, isFirst };
    });
    return split === undefined ? marked : split(marked);
  };
}

const BEHAVIORS: readonly Behavior[] = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];

function behaviorOf(value: unknown): Behavior {
  const behavior = BEHAVIORS.find((known) => known === value);
  if (behavior === undefined) throw new Error(`the behavior ${JSON.stringify(value)} of a Split is not known`);
  return behavior;
}

/** @param inverts  what lies between the matches is what separates */
function splitter(pattern: RegExp, behavior: Behavior, inverts = false): PreTokenizer {
  return (pieces) =>
    pieces.flatMap(({ text, isFirst }) =>
      merged(matchesOf(pattern, text), behavior, inverts).flatMap(([begin, end]) =>
        end > begin ? [{ text: text.slice(begin, end), isFirst: isFirst && begin === 0 }] : [],
      ),
    );
}

/** Which parts of a text remain, and which become one. */
function merged(parts: readonly Match[], behavior: Behavior, inverts: boolean): (readonly [number, number])[] {
  const separates = (match: Match): boolean => match.isMatch !== inverts;
  if (behavior === 'Removed') return parts.filter((part) => !separates(part)).map(({ begin, end }) => [begin, end]);
  const joins = (one: Match, other: Match | undefined): boolean => {
    if (other === undefined) return false;
    if (behavior === 'Contiguous') return separates(one) === separates(other);
    return separates(one) && !separates(other);
  };
  const kept: [number, number][] = [];
  parts.forEach((part, i) => {
    const last = kept[kept.length - 1];
    const isJoined =
      behavior === 'MergedWithNext'
        ? i > 0 && joins(parts[i - 1], part)
        : behavior !== 'Isolated' && joins(part, parts[i - 1]);
    if (isJoined) last[1] = part.end;
    else kept.push([part.begin, part.end]);
  });
  return kept;
}
