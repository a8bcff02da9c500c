/** Options of rewards that look for keywords, of a stage or of a problem. */
import { z } from 'zod';
import { flag, options, text } from '../../../../src/options/keys.ts';
import type { BrokenRule, GivenOptions } from '../../../../src/options/read.ts';
import { tokensOf } from '../../parsing/visible_words.ts';

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
