/** Keywords of a stage or of a problem, and where a text has them: as whole words, in either case. */
import { z } from 'zod';
import { flag, options, text } from '../../options/keys.ts';
import type { BrokenRule, GivenOptions } from '../../options/read.ts';
import { tokensOf } from '../../parsing/instruction.ts';
import type { RewardItem } from '../reward_function.ts';
import { lacksTruth, listForm, truthOf } from '../truth.ts';

const error = { error: 'must be a list of texts; for example [first, then, so]' };

export const KEYWORD_OPTIONS = options({
  keywords: z
    .array(z.string(error).min(1, error), error)
    .min(1, error)
    .optional()
    .describe('The keywords of all problems, in their order.'),
  column: text('keywords')
    .default('keywords')
    .describe('The column of a problem that lists its keywords, where `keywords` is not given.'),
  gated: flag()
    .default(true)
    .describe('Whether only right answers are paid; without it, a list of all keywords is a full success.'),
});

export interface GivenKeywords {
  readonly keywords?: readonly string[];
  readonly column: string;
}

/** Both at once would leave one unread, and each keyword must have a letter or a digit. */
export function keywordRules({ keywords }: GivenKeywords, given: GivenOptions): BrokenRule[] {
  if (keywords === undefined) return [];
  if (given.column !== undefined)
    return [{ key: 'column', rule: 'is not read beside keywords; leave one of them out' }];
  const empty = keywords.find((keyword) => tokensOf(keyword).length === 0);
  if (empty === undefined) return [];
  return [{ key: 'keywords', rule: `${JSON.stringify(empty)} has neither a letter nor a digit; leave it out` }];
}

export function keywordsOf({ keywords, column }: GivenKeywords, item: RewardItem): readonly string[] | undefined {
  return keywords ?? truthOf(listForm, item, column);
}

export function lacksKeywords({ keywords, column }: GivenKeywords, item: RewardItem): string | undefined {
  return keywords === undefined ? lacksTruth(listForm, item, column) : undefined;
}

/** [keywords] Where each begins, in words of the text and in their order. */
export function placesOf(keywords: readonly string[], completion: string): number[][] {
  const words = tokensOf(completion);
  return keywords.map((keyword) => {
    const keywordTokens = tokensOf(keyword);
    return words.flatMap((_, place) => (keywordTokens.every((word, i) => words[place + i] === word) ? [place] : []));
  });
}
